/// What a transport may add to a request that identifies the user; see
/// ``Transport/addedCredentials(to:)``.
///
/// `[]` states that the transport adds nothing. Only then do requests share a transfer (`trackInflights`).
public struct AddedCredentials: OptionSet, Sendable, Hashable {
  /// The bits of the set.
  public let rawValue: Int

  /// Creates a set.
  ///
  /// - Parameter rawValue: the bits of the set.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Cookies that the transport keeps.
  public static let cookies = Self(rawValue: 1)
  /// A credential that is not part of the request, such as one of the transport's configuration.
  public static let credential = Self(rawValue: 2)
  /// The transport does not state what it adds, which includes cookies.
  ///
  /// A cache stores none of its responses.
  public static let unknown = Self(rawValue: 5)
}

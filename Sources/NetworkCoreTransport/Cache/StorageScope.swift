/// The responses that a `CachingTransport` may share with others that have the same cache.
package struct StorageScope: Sendable {
  /// What the transport below adds to the request.
  let added: AddedCredentials
  /// The name of the `CachingTransport`.
  let owner: String

  package init(_ added: AddedCredentials = [], owner: String = "") {
    self.added = added
    self.owner = owner
  }

  /// Whether a stored response may be used.
  func admits(_ response: StoredResponse) -> Bool {
    guard !dependsOnAddedCookies(response) else { return false }
    return response.owner.map { $0 == owner } ?? !added.contains(.unknown)
  }

  /// Returns a response as it may be stored; `nil` if it may be meant for one user.
  ///
  /// It is stored for this transport alone unless the transport below states what it adds, and the request
  /// was sent as the cache knows it.
  func storable(_ response: StoredResponse, _ result: SentRequestCheck.Result) -> StoredResponse? {
    guard result != .changed, !added.contains(.credential), !dependsOnAddedCookies(response) else {
      return nil
    }
    return result == .unchanged && !added.contains(.unknown) ? response : response.owned(by: owner)
  }

  private func dependsOnAddedCookies(_ response: StoredResponse) -> Bool {
    added.contains(.cookies) && response.dependsOnCookies
  }
}

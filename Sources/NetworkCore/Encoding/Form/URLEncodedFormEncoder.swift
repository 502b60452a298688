public import Foundation

/// Writes an `Encodable` value as `key=value&key=value`, the text of a query or a form body.
///
/// ```swift
/// struct Search: Encodable {
///   var text = "swift"
///   var pages = [1, 2]
/// }
/// try URLEncodedFormEncoder().encode(Search()) as String  // pages%5B%5D=1&pages%5B%5D=2&text=swift
/// ```
///
/// The value has to encode itself with names, as a struct or a dictionary does. Numbers are written as Swift describes
/// them (`1.0`, `inf`), a `URL` by its absolute text, a `Decimal` by its digits. Values may be nested up to 512 deep.
public final class URLEncodedFormEncoder: Sendable {
  /// How the key of an array's element is written.
  public typealias ArrayEncoding = URLEncoding.ArrayEncoding
  /// How `true` and `false` are written.
  public typealias BoolEncoding = URLEncoding.BoolEncoding

  /// Why a value has no such text.
  public enum Error: Swift.Error, Sendable, Hashable {
    /// The value, described here, encodes itself without names: as a number, a text, an array or nothing.
    case invalidRootObject(String)
    /// The value is nested deeper than this, perhaps without end; `path` is where it began.
    case nestedTooDeep(limit: Int, path: String)
  }

  /// Whether the pairs are sorted, on each level, so that the same value always gives the same text.
  ///
  /// The elements of an array are sorted by their text too. Without it they keep their order, and so do the members of
  /// a struct, while those of a dictionary have none.
  public let alphabetizeKeyValuePairs: Bool
  /// How the keys of array elements are written.
  public let arrayEncoding: ArrayEncoding
  /// How booleans are written.
  public let boolEncoding: BoolEncoding
  /// How `Data` is written.
  public let dataEncoding: DataEncoding
  /// How a `Date` is written.
  public let dateEncoding: DateEncoding
  /// How keys are written.
  public let keyEncoding: KeyEncoding
  /// How the key of a value inside another is written.
  public let keyPathEncoding: KeyPathEncoding
  /// How `nil` is written.
  public let nilEncoding: NilEncoding
  /// How a space is written.
  public let spaceEncoding: SpaceEncoding
  /// The characters that stand for themselves; all others are percent-encoded as UTF-8.
  public let allowedCharacters: CharacterSet

  /// Makes an encoder.
  ///
  /// - Parameters:
  ///   - alphabetizeKeyValuePairs: whether the pairs are sorted.
  ///   - arrayEncoding: how the keys of array elements are written.
  ///   - boolEncoding: how booleans are written.
  ///   - dataEncoding: how `Data` is written.
  ///   - dateEncoding: how a `Date` is written.
  ///   - keyEncoding: how keys are written.
  ///   - keyPathEncoding: how the key of a value inside another is written.
  ///   - nilEncoding: how `nil` is written.
  ///   - spaceEncoding: how a space is written.
  ///   - allowedCharacters: the characters that stand for themselves.
  public init(
    alphabetizeKeyValuePairs: Bool = true, arrayEncoding: ArrayEncoding = .brackets,
    boolEncoding: BoolEncoding = .numeric, dataEncoding: DataEncoding = .base64,
    dateEncoding: DateEncoding = .deferredToDate, keyEncoding: KeyEncoding = .useDefaultKeys,
    keyPathEncoding: KeyPathEncoding = .brackets, nilEncoding: NilEncoding = .dropKey,
    spaceEncoding: SpaceEncoding = .percentEscaped, allowedCharacters: CharacterSet = .afURLQueryAllowed
  ) {
    self.alphabetizeKeyValuePairs = alphabetizeKeyValuePairs
    self.arrayEncoding = arrayEncoding
    self.boolEncoding = boolEncoding
    self.dataEncoding = dataEncoding
    self.dateEncoding = dateEncoding
    self.keyEncoding = keyEncoding
    self.keyPathEncoding = keyPathEncoding
    self.nilEncoding = nilEncoding
    self.spaceEncoding = spaceEncoding
    self.allowedCharacters = allowedCharacters
  }

  /// The text of a value.
  ///
  /// - Parameter value: what to encode.
  /// - Returns: the pairs, escaped.
  /// - Throws: `Error` where the value has no such text, or the value's own error.
  public func encode(_ value: any Encodable) throws -> String {
    let root = FormNode()
    try FormNodeEncoder(node: root, options: self).encode(value)
    guard case .object = root.content else { throw Error.invalidRootObject("\(value)") }
    return FormWriter(options: self).text(of: root)
  }

  /// The text of a value as UTF-8.
  ///
  /// - Parameter value: what to encode.
  /// - Returns: the pairs, escaped.
  /// - Throws: `Error` where the value has no such text, or the value's own error.
  public func encode(_ value: any Encodable) throws -> Data {
    let text: String = try encode(value)
    return Data(text.utf8)
  }
}

extension URLEncodedFormEncoder.Error: LocalizedError {
  /// What happened, in one line.
  public var errorDescription: String? { Secrets.standard.shown(text: sentence) }

  private var sentence: String {
    switch self {
    case .invalidRootObject(let value): "\(value) has no names that could be the keys of a form."
    case .nestedTooDeep(let limit, let path): "\"\(path)\" is nested more than \(limit) deep."
    }
  }
}

extension CharacterSet {
  /// What stands for itself in a query: RFC 3986's unreserved characters, `?` and `/`.
  public static let afURLQueryAllowed = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~?/")
}

extension URLEncodedFormEncoder.Error: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable,
  SecretHidingError
{
  package var text: SafeText {
    switch self {
    case .invalidRootObject(let text):
      SafeText("invalidRootObject", (nil, .text(text)))
    case .nestedTooDeep(let limit, let path):
      SafeText("nestedTooDeep", ("limit", .plain(limit)), ("path", .text(path)))
    }
  }
}

public import Foundation

/// Encodes an `Encodable` value as `key=value&key=value`, the text of a query or a form body.
///
/// ```swift
/// struct Search: Encodable {
///   var text = "swift"
///   var pages = [1, 2]
/// }
/// try URLEncodedFormEncoder().encode(Search()) as String  // pages%5B%5D=1&pages%5B%5D=2&text=swift
/// ```
///
/// The value must encode itself with keys, as a struct or a dictionary does. Numbers are written as Swift
/// describes them (`1.0`, `inf`), a `URL` as its absolute string, and a `Decimal` with its digits. Values may
/// be nested up to 512 levels deep.
public final class URLEncodedFormEncoder: Sendable {
  /// The format of the key of an array element.
  public typealias ArrayEncoding = URLEncoding.ArrayEncoding
  /// The format of `true` and `false`.
  public typealias BoolEncoding = URLEncoding.BoolEncoding

  /// The reason why a value cannot be encoded.
  public enum Error: Swift.Error, Sendable, Hashable {
    /// The value, described here, has no keys, because it is a number, a string, an array or `nil`.
    case invalidRootObject(String)
    /// The value is nested deeper than `limit`, possibly because it contains itself; `path` is the beginning
    /// of the path.
    case nestedTooDeep(limit: Int, path: String)
  }

  /// Whether the pairs are sorted on each level, so that the same value always has the same text.
  ///
  /// The elements of an array are also sorted, by their text. If `false`, array elements and the members of a
  /// struct keep their order, and the members of a dictionary have no defined order.
  public let alphabetizeKeyValuePairs: Bool
  /// The format of the keys of array elements.
  public let arrayEncoding: ArrayEncoding
  /// The format of booleans.
  public let boolEncoding: BoolEncoding
  /// The format of `Data`.
  public let dataEncoding: DataEncoding
  /// The format of a `Date`.
  public let dateEncoding: DateEncoding
  /// The format of keys.
  public let keyEncoding: KeyEncoding
  /// The format of the key of a nested value.
  public let keyPathEncoding: KeyPathEncoding
  /// The format of `nil`.
  public let nilEncoding: NilEncoding
  /// The format of a space.
  public let spaceEncoding: SpaceEncoding
  /// The characters that are written unchanged; all others are percent-encoded as UTF-8.
  public let allowedCharacters: CharacterSet

  /// Creates an encoder.
  ///
  /// - Parameters:
  ///   - alphabetizeKeyValuePairs: whether the pairs are sorted.
  ///   - arrayEncoding: the format of the keys of array elements.
  ///   - boolEncoding: the format of booleans.
  ///   - dataEncoding: the format of `Data`.
  ///   - dateEncoding: the format of a `Date`.
  ///   - keyEncoding: the format of keys.
  ///   - keyPathEncoding: the format of the key of a nested value.
  ///   - nilEncoding: the format of `nil`.
  ///   - spaceEncoding: the format of a space.
  ///   - allowedCharacters: the characters that are written unchanged.
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

  /// Returns the text of a value.
  ///
  /// - Parameter value: the value to encode.
  /// - Returns: the pairs, escaped.
  /// - Throws: `Error` if the value cannot be encoded, or an error of the value itself.
  public func encode(_ value: any Encodable) throws -> String {
    let root = FormNode()
    try FormNodeEncoder(node: root, options: self).encode(value)
    guard case .object = root.content else { throw Error.invalidRootObject(ParameterTree.text(of: value)) }
    return FormWriter(options: self).text(of: root)
  }

  /// Returns the text of a value as UTF-8.
  ///
  /// - Parameter value: the value to encode.
  /// - Returns: the pairs, escaped.
  /// - Throws: `Error` if the value cannot be encoded, or an error of the value itself.
  public func encode(_ value: any Encodable) throws -> Data {
    let text: String = try encode(value)
    return Data(text.utf8)
  }
}

extension URLEncodedFormEncoder.Error: LocalizedError {
  /// A description of the error in one line.
  public var errorDescription: String? { Redactor.standard.redacted(text: sentence) }

  private var sentence: String {
    switch self {
    case .invalidRootObject(let value): "\(value) has no keys for a form; use a struct or a dictionary."
    case .nestedTooDeep(let limit, let path): "\"\(path)\" is nested more than \(limit) levels deep."
    }
  }
}

extension CharacterSet {
  /// The characters that need no escape in a query: RFC 3986's unreserved characters, `?` and `/`.
  public static let afURLQueryAllowed = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~?/")
}

extension URLEncodedFormEncoder.Error: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable,
  SecretHidingError
{
  package var text: RedactableDescription {
    switch self {
    case .invalidRootObject(let text):
      RedactableDescription("invalidRootObject", (nil, .text(text)))
    case .nestedTooDeep(let limit, let path):
      RedactableDescription("nestedTooDeep", ("limit", .plain(limit)), ("path", .text(path)))
    }
  }
}

public import Foundation

extension URLEncodedFormEncoder {
  /// The format of `Data`.
  public enum DataEncoding: Sendable {
    /// As `Data` encodes itself, which is an array of numbers.
    case deferredToData
    /// As Base64.
    case base64
    /// The text that the closure returns.
    case custom(@Sendable (Data) throws -> String)

    func encode(_ data: Data) throws -> String? {
      switch self {
      case .deferredToData: nil
      case .base64: data.base64EncodedString()
      case .custom(let encode): try encode(data)
      }
    }
  }

  /// The format of a `Date`.
  public enum DateEncoding: Sendable {
    /// As `Date` encodes itself, which is in seconds since 2001-01-01.
    case deferredToDate
    /// In seconds since 1970-01-01.
    case secondsSince1970
    /// In milliseconds since 1970-01-01.
    case millisecondsSince1970
    /// As `2001-01-01T00:02:03Z`, without fractions of a second.
    case iso8601
    /// As the formatter writes it; do not change the formatter while the encoder is in use.
    case formatted(DateFormatter)
    /// The text that the closure returns.
    case custom(@Sendable (Date) throws -> String)

    func encode(_ date: Date) throws -> String? {
      switch self {
      case .deferredToDate: nil
      case .secondsSince1970: "\(date.timeIntervalSince1970)"
      case .millisecondsSince1970: "\(date.timeIntervalSince1970 * 1000)"
      case .iso8601: date.formatted(.iso8601)
      case .formatted(let formatter): formatter.string(from: date)
      case .custom(let encode): try encode(date)
      }
    }
  }

  /// The format of keys; applied to the whole key of a pair, such as `user[firstName]`.
  public enum KeyEncoding: Sendable {
    /// Unchanged.
    case useDefaultKeys
    /// `oneTwo` as `one_two`.
    case convertToSnakeCase
    /// `oneTwo` as `one-two`.
    case convertToKebabCase
    /// `oneTwo` as `OneTwo`.
    case capitalized
    /// `oneTwo` as `ONETWO`.
    case uppercased
    /// `oneTwo` as `onetwo`.
    case lowercased
    /// The text that the closure returns.
    case custom(@Sendable (String) -> String)

    func encode(_ key: String) -> String {
      switch self {
      case .useDefaultKeys: key
      case .convertToSnakeCase: key.joiningWords(by: "_")
      case .convertToKebabCase: key.joiningWords(by: "-")
      case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
      case .uppercased: key.uppercased()
      case .lowercased: key.lowercased()
      case .custom(let encode): encode(key)
      }
    }
  }

  /// The format of the key of a nested value.
  public struct KeyPathEncoding: Sendable {
    /// In brackets: `user[name]`.
    public static let brackets = KeyPathEncoding { "[\($0)]" }
    /// After a dot: `user.name`.
    public static let dots = KeyPathEncoding { ".\($0)" }

    let encode: @Sendable (_ key: String) -> String

    /// Creates an encoding.
    ///
    /// - Parameter encoding: returns the text to append to the outer key, for the inner key.
    public init(encoding: @escaping @Sendable (_ key: String) -> String) {
      encode = encoding
    }
  }

  /// The format of `nil`.
  public struct NilEncoding: Sendable {
    /// The pair is omitted.
    public static let dropKey = NilEncoding { nil }
    /// As an empty value: `key=`.
    public static let dropValue = NilEncoding { "" }
    /// As a word: `key=null`.
    public static let null = NilEncoding { "null" }

    let encode: @Sendable () -> String?

    /// Creates an encoding.
    ///
    /// - Parameter encoding: returns the text for `nil`, or `nil` to omit the pair.
    public init(encoding: @escaping @Sendable () -> String?) {
      encode = encoding
    }
  }

  /// The format of a space.
  public enum SpaceEncoding: Sendable {
    /// As `%20`.
    case percentEscaped
    /// As `+`.
    case plusReplaced

    var text: String {
      switch self {
      case .percentEscaped: "%20"
      case .plusReplaced: "+"
      }
    }
  }
}

extension String {
  /// Joins the words of a camel-case name, split as by `JSONEncoder.KeyEncodingStrategy.convertToSnakeCase`.
  ///
  /// A word begins at an upper-case letter. In a row of upper-case letters, all but the last form one word:
  /// `myURLProperty` has the words `my`, `URL` and `Property`.
  fileprivate func joiningWords(by separator: String) -> String {
    guard !isEmpty else { return self }
    let characters = Array(self)
    var starts = [0]
    var next = 1
    while let upper = characters[next...].firstIndex(where: \.isUppercase) {
      starts.append(upper)
      guard let lower = characters[upper...].firstIndex(where: \.isLowercase) else { break }
      if lower > upper + 1 { starts.append(lower - 1) }
      next = lower + 1
    }
    return zip(starts, starts.dropFirst() + [characters.count])
      .map { String(characters[$0..<$1]).lowercased() }
      .joined(separator: separator)
  }
}

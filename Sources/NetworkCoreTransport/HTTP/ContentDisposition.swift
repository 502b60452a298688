import Foundation

/// The file name that the value of a `Content-Disposition` field suggests (RFC 6266).
package struct ContentDisposition {
  private typealias Scalars = Substring.UnicodeScalarView

  /// `filename*`, or `filename` if there is no readable `filename*`.
  ///
  /// It may contain folders; `nil` if there is neither parameter.
  package let filename: String?

  /// Parses a value.
  ///
  /// A malformed value is parsed as far as possible. If a parameter appears several times, the first one
  /// counts.
  package init(_ value: String) {
    var rest = value[...].unicodeScalars
    var plain: String?
    var extended: String?
    while let start = rest.firstIndex(of: ";") {
      rest = rest[start...].dropFirst()
      let name = String(Substring(rest.prefix { $0 != "=" && $0 != ";" })).trimmingCharacters(
        in: .whitespaces)
      rest = rest.drop { $0 != "=" && $0 != ";" }
      guard rest.first == "=" else { continue }
      rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
      let value = rest.first == "\"" ? Self.readQuoted(&rest) : Self.readToken(&rest)
      switch name.lowercased() {
      case "filename": plain = plain ?? value
      case "filename*": extended = extended ?? Self.decode(value)
      default: break
      }
    }
    filename = extended ?? plain
  }

  private static func readToken(_ rest: inout Scalars) -> String {
    let token = rest.prefix { $0 != ";" }
    rest = rest[token.endIndex...]
    return String(Substring(token)).trimmingCharacters(in: .whitespaces)
  }

  /// Unescapes quotes and backslashes.
  ///
  /// Any other backslash is kept, because some servers send it as a separator of folders.
  private static func readQuoted(_ rest: inout Scalars) -> String {
    var text = String.UnicodeScalarView()
    rest = rest.dropFirst()
    while let scalar = rest.popFirst(), scalar != "\"" {
      if scalar == "\\", let next = rest.first, next == "\"" || next == "\\" {
        text.append(next)
        rest = rest.dropFirst()
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }

  /// Decodes `charset'language'value` (RFC 8187).
  ///
  /// Returns `nil` if the value is malformed, or the charset is neither UTF-8 nor ISO 8859-1.
  private static func decode(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = unescape(parts[2].utf8) else { return nil }
    switch parts[0].lowercased() {
    case "utf-8": return String(validating: bytes, as: UTF8.self)
    case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    default: return nil
    }
  }

  private static func unescape(_ text: Substring.UTF8View) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = Substring(rest.prefix(2))
      guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let number = UInt8(digits, radix: 16)
      else {
        return nil
      }
      bytes.append(number)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}

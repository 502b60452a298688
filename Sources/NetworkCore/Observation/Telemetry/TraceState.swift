/// The data that tracing systems send along with a trace (`tracestate`).
///
/// Source: W3C Recommendation "Trace Context", section 3.3.
public struct TraceState: Sendable, Hashable {
  /// The data of one tracing system.
  public struct Member: Sendable, Hashable {
    /// The name of the system, such as `vendor` or `tenant@vendor`.
    public let key: String
    /// The data.
    public let value: String
  }

  /// The maximum number of members.
  public static let limit = 32

  /// The members, newest first.
  public let members: [Member]

  /// Creates an empty state.
  public init() { members = [] }

  /// Creates a state from the value of the field `tracestate`.
  ///
  /// - Parameter text: the members, separated by commas; empty members are skipped.
  /// - Throws: `TraceContextError.invalidTracestate` if a key or value is invalid, a key occurs twice, or
  ///   there are more than 32 members.
  public init(_ text: String) throws(TraceContextError) {
    var members: [Member] = []
    for part in text.split(separator: ",") {
      let member = part.trimmingBlanks
      if member.isEmpty { continue }
      guard let sign = member.firstIndex(of: "=") else { throw .invalidTracestate(text) }
      let (key, value) = (String(member[..<sign]), String(member[member.index(after: sign)...]))
      guard Self.isKey(key), Self.isValue(value), !members.contains(where: { $0.key == key }),
        members.count < Self.limit
      else { throw .invalidTracestate(text) }
      members.append(Member(key: key, value: value))
    }
    self.members = members
  }

  /// The value of the field; empty without members.
  public var text: String { members.map { "\($0.key)=\($0.value)" }.joined(separator: ",") }

  /// Whether a text is a `simple-key` or `multi-tenant-key` of the recommendation.
  private static func isKey(_ key: String) -> Bool {
    let parts = key.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    func isPart(_ part: Substring.UTF8View, limit: Int, mayBeginWithDigit: Bool) -> Bool {
      guard let first = part.first, part.count <= limit, part.allSatisfy({ isKeyByte($0) }) else {
        return false
      }
      return isLetter(first) || mayBeginWithDigit && isDigit(first)
    }
    switch parts.count {
    case 1: return isPart(parts[0], limit: 256, mayBeginWithDigit: false)
    case 2:
      return isPart(parts[0], limit: 241, mayBeginWithDigit: true)
        && isPart(parts[1], limit: 14, mayBeginWithDigit: false)
    default: return false
    }
  }

  private static func isValue(_ value: String) -> Bool {
    guard let last = value.utf8.last, last != 0x20, value.utf8.count <= 256 else { return false }
    return value.utf8.allSatisfy {
      (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=")
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }
  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
  private static func isKeyByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || "_-*/".utf8.contains(byte)
  }
}

extension Substring {
  /// The text without blanks at its ends (OWS of RFC 9110).
  fileprivate var trimmingBlanks: Substring {
    var text = self[...]
    while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return text
  }
}

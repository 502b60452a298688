package import typealias Foundation.TimeInterval

/// The `Cache-Control` directives of a request or response (RFC 9111, section 5.2) that a private cache
/// needs.
package struct CacheControl: Sendable, Hashable {
  /// No part of the message may be stored.
  package private(set) var noStore = false
  /// The response must be revalidated with the server before it is used.
  ///
  /// A directive that names fields is applied to the whole response, which is safe.
  package private(set) var noCache = false
  /// A stale response must not be used, whatever the request allows.
  package private(set) var mustRevalidate = false
  /// A response with a known status may be stored, even with `no-store`; one with an unknown status may not.
  package private(set) var mustUnderstand = false
  /// The response is meant for one user.
  package private(set) var isPrivate = false
  /// Only a stored response is wanted.
  package private(set) var onlyIfCached = false
  /// The age in seconds up to which a response is fresh; 0 for an invalid number or two that differ.
  package private(set) var maxAge: TimeInterval?
  /// How stale a response may be, in seconds; `.infinity` if the request does not limit it.
  package private(set) var maxStale: TimeInterval?
  /// How long a response must remain fresh, in seconds.
  package private(set) var minFresh: TimeInterval?
  /// How stale a response may be if the server cannot be reached or fails, in seconds (RFC 5861).
  package private(set) var staleIfError: TimeInterval?
  /// How stale a response may be if it is revalidated at the same time, in seconds (RFC 5861).
  package private(set) var staleWhileRevalidate: TimeInterval?

  /// Reads the directives of header fields.
  package init(_ headers: HTTPHeaders) {
    let lines = headers.filter { $0.isNamed("cache-control") }
    guard !lines.isEmpty else {
      // The older form, from before `Cache-Control` existed (RFC 9111, section 5.4).
      noCache = headers["Pragma"]?.lowercased().contains("no-cache") ?? false
      return
    }
    // Each line by itself: a quotation mark that is never closed hides no directive of another line.
    for (name, argument) in lines.flatMap({ Self.directives($0.value) }) {
      let seconds = argument.map { Self.seconds($0) }
      switch name {
      case "no-store": noStore = true
      case "no-cache": noCache = true
      case "must-revalidate": mustRevalidate = true
      case "must-understand": mustUnderstand = true
      case "private": isPrivate = true
      case "only-if-cached": onlyIfCached = true
      case "max-age": maxAge = maxAge == nil || maxAge == seconds ? seconds ?? 0 : 0
      // Of several, the strictest counts. Only max-stale means something without a number.
      case "max-stale": maxStale = min(maxStale ?? .infinity, seconds ?? .infinity)
      case "min-fresh": if let seconds { minFresh = max(minFresh ?? 0, seconds) }
      case "stale-if-error": if let seconds { staleIfError = min(staleIfError ?? .infinity, seconds) }
      case "stale-while-revalidate":
        if let seconds { staleWhileRevalidate = min(staleWhileRevalidate ?? .infinity, seconds) }
      // s-maxage, public and proxy-revalidate are for shared caches.
      default: break
      }
    }
  }

  /// Returns a number of seconds, at most 2^31 (RFC 9111, section 1.2.2); 0 for text that is not a number.
  static func seconds(_ text: some StringProtocol) -> TimeInterval {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    return min(TimeInterval(text) ?? 0, secondsLimit)
  }

  /// The greatest number of seconds in a field.
  static let secondsLimit: TimeInterval = 2_147_483_648

  /// Returns names in lower case, and arguments without their quotation marks.
  private static func directives(_ value: String) -> [(name: String, argument: String?)] {
    var found: [(String, String?)] = []
    // Bytes instead of characters, because a comma and a combining mark after it are one character.
    var rest = value[...].utf8
    let (comma, sign) = (UInt8(ascii: ","), UInt8(ascii: "="))
    while !rest.isEmpty {
      let name = rest.prefix { $0 != comma && $0 != sign }
      rest = rest[name.endIndex...]
      var argument: String?
      if rest.first == sign {
        rest = rest.dropFirst()
        let quoted = Self.quotedArgument(rest)
        let end = quoted?.end ?? rest.firstIndex(of: comma) ?? rest.endIndex
        argument = quoted?.text ?? String(Substring(rest[..<end]).trimmed)
        rest = rest[end...]
      }
      found.append((Substring(name).trimmed.lowercased(), argument))
      rest = rest.dropFirst()
    }
    return found
  }

  /// Returns the content of an argument in quotation marks, and the index of the comma after it.
  ///
  /// `nil` if the closing mark is missing, or is not the end of the argument: a mark that was left open must not
  /// hide a directive such as `no-store`.
  private static func quotedArgument(_ rest: Substring.UTF8View) -> (text: String, end: Substring.Index)? {
    let quote = UInt8(ascii: "\"")
    var rest = rest
    guard rest.popFirst() == quote else { return nil }
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == quote {
        let end = rest.drop { $0 == 0x20 || $0 == 0x09 }
        guard end.isEmpty || end.first == UInt8(ascii: ",") else { return nil }
        return (String(decoding: text, as: UTF8.self), end.startIndex)
      }
      // The byte after a backslash stands for itself (RFC 9110, section 5.6.4).
      text.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
    }
    return nil
  }
}

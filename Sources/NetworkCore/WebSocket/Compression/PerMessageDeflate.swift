/// The parameters of a WebSocket's compression, as the server has chosen them (RFC 7692, section 7.1).
struct PerMessageDeflate: Equatable {
  /// Whether the server's messages may refer to its earlier ones.
  var serverKeepsContext = true
  /// Whether the client's messages may refer to its earlier ones.
  var clientKeepsContext = true
  /// The client's window has 2 to the power of this number of bytes.
  var clientWindowBits = 15

  /// The value of `Sec-WebSocket-Extensions` that offers it.
  static let offer = "permessage-deflate; client_max_window_bits"

  /// Reads the extension that the server has accepted; `nil` if it is not what `offer` allows.
  init?(accepted: String) {
    let parts = accepted.split(separator: ";", omittingEmptySubsequences: false).map { String($0.trimmed) }
    guard parts.first == "permessage-deflate" else { return nil }
    var seen: Set<Substring> = []
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = pair.count < 2 ? nil : Self.unquoted(pair[1])
      guard let name = pair.first, seen.insert(name).inserted else { return nil }
      switch (name, value) {
      case ("server_no_context_takeover", nil): serverKeepsContext = false
      case ("client_no_context_takeover", nil): clientKeepsContext = false
      // A reader with the largest window reads every other as well.
      case ("server_max_window_bits", let bits?): guard Self.windowBits(bits) != nil else { return nil }
      case ("client_max_window_bits", let bits?):
        guard let bits = Self.windowBits(bits) else { return nil }
        clientWindowBits = bits
      default: return nil
      }
    }
  }

  /// A token, or the content of a quoted string, which contains a token (RFC 6455, section 9.1).
  private static func unquoted(_ value: Substring) -> Substring {
    guard value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
    return value.dropFirst().dropLast()
  }

  private static func windowBits(_ text: Substring) -> Int? {
    guard let bits = Int(text), (8...15).contains(bits), String(bits) == text else { return nil }
    return bits
  }
}

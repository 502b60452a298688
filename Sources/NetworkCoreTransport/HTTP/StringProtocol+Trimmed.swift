extension StringProtocol where SubSequence == Substring {
  /// The value without surrounding whitespace, which is not part of it (RFC 9110, section 5.5).
  @inlinable package var trimmed: Substring {
    let blank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let bytes = self[...].utf8.drop(while: blank)
    guard let end = bytes.lastIndex(where: { !blank($0) }) else { return "" }
    return Substring(bytes[...end])
  }
}

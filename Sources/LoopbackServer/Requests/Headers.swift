extension LoopbackServer {
  /// The header fields of a request, in the order sent.
  ///
  /// They are stored as received and parsed on access.
  public struct Headers: Sendable, Hashable {
    /// Validated field lines: a name, a colon, a value, a line feed.
    let lines: [UInt8]
  }
}

extension LoopbackServer.Headers: Sequence {
  /// The value of the field with that name, compared case-insensitively; several values are joined with `", "`,
  /// those of `Cookie` with `"; "` (RFC 9113, section 8.2.3).
  public subscript(name: String) -> String? {
    let values = values(of: name)
    let separator = name.lowercased() == "cookie" ? "; " : ", "
    return values.isEmpty ? nil : values.joined(separator: separator)
  }

  /// The values of all fields with that name, compared case-insensitively.
  public func values(of name: String) -> [String] {
    let name = name.lowercased()
    return filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// Returns an iterator over the fields, each with its name as sent and its value without surrounding
  /// blanks.
  public func makeIterator() -> AnyIterator<(name: String, value: String)> {
    var rest = lines[...]
    return AnyIterator {
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      let line = rest[..<end]
      rest = rest[(end + 1)...]
      let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
      return (String(decoding: line[..<colon], as: UTF8.self), text(line[colon...].dropFirst()))
    }
  }
}

private func text(_ value: ArraySlice<UInt8>) -> String {
  String(decoding: trimmingBlanks(value), as: UTF8.self)
}

func trimmingBlanks(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  let blank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  let trimmed = bytes.drop(while: blank)
  let end = trimmed.lastIndex { !blank($0) }.map { $0 + 1 } ?? trimmed.startIndex
  return trimmed[trimmed.startIndex..<end]
}

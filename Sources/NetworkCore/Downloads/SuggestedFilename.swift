/// A file name that a server suggests, made safe: it cannot leave its folder, is not hidden, is shown in its
/// order, and is not too long.
struct SuggestedFilename {
  /// The longest file name that all common file systems allow, in bytes of UTF-8.
  static let limit = 255

  let text: String

  init(_ suggestion: String) {
    let last = suggestion.unicodeScalars.split { $0 == "/" || $0 == "\\" || $0 == "\0" }.last
    let shown = last?.map(Self.shown) ?? []
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: shown.drop { $0 == "." || $0 == " " })
    text = scalars.isEmpty ? "Unknown" : Self.shortened(String(scalars))
  }

  /// Replaces a control character, and one that reverses the text: with U+202E, `gpj.exe` is shown as
  /// `exe.jpg`.
  private static func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    let properties = scalar.properties
    return properties.generalCategory == .control || properties.isBidiControl ? "_" : scalar
  }

  /// Shortens a name before its extension, between two characters.
  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > limit else { return name }
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    let ending = name[dot...]
    // A longer ending is part of the name and not an extension.
    guard ending.utf8.count <= 32 else { return String(name.prefix(maxUTF8Count: limit)) }
    return "\(name[..<dot].prefix(maxUTF8Count: limit - ending.utf8.count))\(ending)"
  }
}

extension String {
  /// Returns the longest prefix of whole characters with at most `limit` bytes of UTF-8.
  func prefix(maxUTF8Count limit: Int) -> Substring { self[...].prefix(maxUTF8Count: limit) }
}

extension Substring {
  /// Returns the longest prefix of whole characters with at most `limit` bytes of UTF-8.
  ///
  /// If the first character alone is longer, it returns a prefix of whole code points.
  func prefix(maxUTF8Count limit: Int) -> Substring {
    let whole = self[..<end(of: self, \.utf8.count, limit)]
    return whole.isEmpty ? self[..<end(of: unicodeScalars, \.utf8.count, limit)] : whole
  }

  private func end<Parts: Collection>(
    of parts: Parts, _ count: (Parts.Element) -> Int, _ limit: Int
  ) -> Parts.Index where Parts.Index == Index {
    var rest = limit
    return parts.indices.first { index in
      rest -= count(parts[index])
      return rest < 0
    } ?? parts.endIndex
  }
}

/// A name for a file that somebody else suggests, as one that stays in its folder, shows there and fits.
struct SuggestedName {
  /// The bytes of UTF-8 that the name of a file has at most, on all common file systems.
  static let limit = 255

  let text: String

  init(_ suggestion: String) {
    let last = suggestion.unicodeScalars.split { $0 == "/" || $0 == "\\" || $0 == "\0" }.last
    let shown = last?.map { $0.properties.generalCategory == .control ? "_" : $0 } ?? []
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: shown.drop { $0 == "." || $0 == " " })
    text = scalars.isEmpty ? "Unknown" : Self.fitting(String(scalars))
  }

  /// Cuts a name before its extension, between two characters.
  private static func fitting(_ name: String) -> String {
    guard name.utf8.count > limit else { return name }
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    let ending = name[dot...]
    // A longer one is a part of the name that begins with a dot.
    guard ending.utf8.count <= 32 else { return String(name.prefix(maxUTF8Count: limit)) }
    return "\(name[..<dot].prefix(maxUTF8Count: limit - ending.utf8.count))\(ending)"
  }
}

extension String {
  /// The longest beginning of whole characters that has at most so many bytes of UTF-8.
  func prefix(maxUTF8Count limit: Int) -> Substring { self[...].prefix(maxUTF8Count: limit) }
}

extension Substring {
  /// The longest beginning of whole characters that has at most so many bytes of UTF-8; of whole code points, where the first
  /// character alone has more.
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

import Foundation

/// A document of the repository, and its examples.
struct Document {
  /// The file, relative to the root of the repository.
  let path: String
  let text: String

  static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

  init(_ path: String) throws {
    self.path = path
    text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  /// Returns the articles of the modules, the files in `Documentation`, and the READMEs of folders.
  static func all() throws -> [Document] {
    let folders = try ["Documentation", "Sources"].flatMap { folder in
      try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
        .map { "\(folder)/\($0)" }
    }
    let others = [
      "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Benchmarks/README.md", "Bridges/README.md",
      "Tests/Porting/README.md",
    ]
    return try (others + folders.filter { $0.hasSuffix(".md") }.sorted()).map { try Document($0) }
  }

  /// The file that contains the examples, where the compiler checks them.
  ///
  /// Examples with other packages are compiled and run in the nested package.
  var compiledPath: String {
    switch name {
    case "Observability": "Bridges/Sources/TelemetryExamples/Observability.swift"
    case "README" where path.hasPrefix("Bridges/"): "Bridges/Tests/ReadmeTests/README.swift"
    case let name: "Tests/DocumentationTests/\(name).swift"
    }
  }

  /// The text without blocks of code, with single spaces instead of line breaks.
  var prose: String {
    text.components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
      .joined(separator: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  var name: String { Self.root.appending(path: path).deletingPathExtension().lastPathComponent }

  /// The examples in Swift, as lines.
  ///
  /// Manifests are skipped, because only the package manager can check them.
  var examples: [[String]] {
    text.components(separatedBy: "```swift\n").dropFirst()
      .map { rest in Self.lines(rest.components(separatedBy: "```").first ?? rest) }
      .filter { $0.first?.hasPrefix("// swift-tools-version") == false }
  }

  /// The files that the document links to, relative to the root of the repository.
  var links: [String] {
    text.matches(of: /\]\((?<target>[^)#]+)(#[^)]*)?\)/).map(\.output.target)
      .filter { !$0.contains(":") }
      .map { target in
        let folder = Self.root.appending(path: path).deletingLastPathComponent()
        return folder.appending(path: String(target)).standardizedFileURL.path
      }
  }

  /// Returns the non-empty lines of a text, without indentation and `private`.
  static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { line in
      let line = line.trimmingCharacters(in: .whitespaces)
      return line.hasPrefix("private ") ? String(line.dropFirst("private ".count)) : line
    }
    .filter { !$0.isEmpty }
  }
}

extension Document {
  /// Returns the sources of the modules whose comments contain examples.
  static func sources() throws -> [Document] {
    let files = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Sources").path)
    return try files.filter { $0.hasSuffix(".swift") }.sorted().map { try Document("Sources/\($0)") }
      .filter { $0.text.contains("/// ```swift") }
  }

  /// The examples in the comments of a source, as code.
  var commentExamples: [[String]] {
    text.components(separatedBy: "/// ```swift\n").dropFirst().map { rest in
      let lines = (rest.components(separatedBy: "/// ```").first ?? rest).split(separator: "\n")
      let example = lines.map { $0.trimmingCharacters(in: .whitespaces).dropFirst(3) }
      return Self.code(example.joined(separator: "\n"))
    }
  }

  /// Returns the lines of code without the parts in which an example and its compiled form differ: comments,
  /// imports, and `return` or `_ =`, which only avoid the compiler's warnings about unused results.
  static func code(_ text: String) -> [String] {
    lines(text).compactMap { line in
      var code = line.components(separatedBy: "  //")[0]
      for word in ["return ", "_ = "] where code.hasPrefix(word) { code.removeFirst(word.count) }
      code = code.split(separator: " ").joined(separator: " ").replacing("( \"", with: "(\"")
      let isCode =
        !code.isEmpty && !code.hasPrefix("//") && !code.contains("import ") && !code.hasPrefix("@Test")
      return isCode ? code : nil
    }
  }
}

extension [String] {
  /// Returns `true` if these lines contain all of `lines` in the same order.
  func contains(inOrder lines: [String]) -> Bool {
    var rest = self[...]
    for line in lines {
      guard let index = rest.firstIndex(of: line) else { return false }
      rest = rest[(index + 1)...]
    }
    return true
  }
}

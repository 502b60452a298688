import Foundation

/// A text of the repository that people read, with its examples.
struct Document {
  /// The file, from the root of the repository.
  let path: String
  let text: String

  static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

  init(_ path: String) throws {
    self.path = path
    text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  /// The articles of the modules, what stands in `Documentation`, and the first pages of folders.
  static func all() throws -> [Document] {
    let folders = try ["Documentation", "Sources"].flatMap { folder in
      try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
        .map { "\(folder)/\($0)" }
    }
    let others = [
      "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Benchmarks/README.md", "Tests/Porting/README.md",
    ]
    return try (others + folders.filter { $0.hasSuffix(".md") }.sorted()).map { try Document($0) }
  }

  var name: String { Self.root.appending(path: path).deletingPathExtension().lastPathComponent }

  /// The examples in Swift, as lines; a manifest is none, since only the package manager can tell whether it is right.
  var examples: [[String]] {
    text.components(separatedBy: "```swift\n").dropFirst()
      .map { rest in Self.lines(rest.components(separatedBy: "```").first ?? rest) }
      .filter { $0.first?.hasPrefix("// swift-tools-version") == false }
  }

  /// The files that it links to, from the root of the repository.
  var links: [String] {
    text.matches(of: /\]\((?<target>[^)#]+)(#[^)]*)?\)/).map(\.output.target)
      .filter { !$0.contains(":") }
      .map { target in
        let folder = Self.root.appending(path: path).deletingLastPathComponent()
        return folder.appending(path: String(target)).standardizedFileURL.path
      }
  }

  /// The lines of a text without indentation and `private`, empty ones left out.
  static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { line in
      let line = line.trimmingCharacters(in: .whitespaces)
      return line.hasPrefix("private ") ? String(line.dropFirst("private ".count)) : line
    }
    .filter { !$0.isEmpty }
  }
}

extension Document {
  /// The sources of the modules whose comments have examples.
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

  /// The lines of code without what differs between an example and its compiled form: comments, imports, and what is said so
  /// that the compiler does not warn of a result that nobody uses.
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
  /// Whether all of some lines are among these, in their order.
  func contains(inOrder lines: [String]) -> Bool {
    var rest = self[...]
    for line in lines {
      guard let index = rest.firstIndex(of: line) else { return false }
      rest = rest[(index + 1)...]
    }
    return true
  }
}

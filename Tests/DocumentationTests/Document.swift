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

  /// The lines of a text without indentation, empty ones left out.
  static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }
}

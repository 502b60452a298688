import Foundation
import Testing

/// One file, `.swift-version`, names the toolchain that the package is built with; `swiftly` reads it too.
@Suite("The toolchain in documents and manifests")
struct ToolchainTests {
  private let version: String
  /// The version without its patch number.
  private let minor: String

  init() throws {
    version = try Document(".swift-version").text.trimmingCharacters(in: .whitespacesAndNewlines)
    minor = version.split(separator: ".").prefix(2).joined(separator: ".")
  }

  @Test("documents, manifests and the container name the version of .swift-version")
  func documents() throws {
    let articles = "Sources/ReactiveNetwork/ReactiveNetwork.docc"
    let places = [
      ("README.md", "Swift \(version) on Linux is the only toolchain"),
      ("CHANGELOG.md", "Swift \(version) on Linux is the only one"),
      ("\(articles)/GettingStarted.md", "You need Linux with Swift \(minor) and nothing else"),
      ("\(articles)/RunAsAService.md", "`swift:\(minor)-bookworm`"),
      ("\(articles)/Performance.md", "with Swift \(minor) and"),
      ("Documentation/Comparison.md", "with Swift \(minor);"),
      ("Examples/Watcher/Containerfile", "FROM swift:\(minor)-bookworm AS build"),
    ]
    for (path, text) in places {
      let words = try Document(path).text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains(text), "\(path) does not say: \(text)")
    }
    #expect(try Document(".ci/run").text.contains("<.swift-version"))
  }

  @Test("all manifests, and the README, need the same version of the package manager")
  func tools() throws {
    let line = try #require(try Document("Package.swift").text.split(separator: "\n").first)
    #expect(line.hasPrefix("// swift-tools-version: "))
    for path in ["Benchmarks", "Bridges", "Examples/Desktop", "Examples/Hello", "Fuzzing", "Tests/Porting"] {
      #expect(try Document("\(path)/Package.swift").text.hasPrefix("\(line)\n"), "\(path)/Package.swift")
    }
    #expect(try Document("README.md").text.contains("| the first line | `\(line)`, or newer |"))
  }
}

import Foundation
import Testing

/// What can be checked of the container file without building it.
@Suite("The watcher's container file")
struct ContainerTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
  private let lines: [String]

  init() throws {
    let text = try String(
      contentsOf: Self.root.appending(path: "Examples/Watcher/Containerfile"), encoding: .utf8)
    lines = text.replacing("\\\n", with: " ").split(separator: "\n")
      .map { $0.split(separator: " ").joined(separator: " ") }
  }

  /// The lines of an instruction, without its name.
  private func arguments(_ instruction: String) -> [String] {
    lines.filter { $0.hasPrefix("\(instruction) ") }.map { String($0.dropFirst(instruction.count + 1)) }
  }

  @Test("it copies paths that exist, and all sources of the manifest's targets")
  func copies() throws {
    let copied = arguments("COPY").filter { !$0.hasPrefix("--from") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(copied.contains("Package.swift"))
    for path in copied {
      #expect(FileManager.default.fileExists(atPath: Self.root.appending(path: path).path), "\(path)")
    }
    let manifest = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
    let folders = Set(manifest.matches(of: /path: "(\w+)/).map { String($0.1) } + ["Sources", "Tests"])
    #expect(folders.isSubset(of: copied), "\(folders)")
  }

  @Test(
    "it builds a product of the manifest, and starts what it has installed with a file that it has copied")
  func program() throws {
    let build = try #require(arguments("RUN").first { $0.contains("swift build") })
    let product = try #require(build.firstMatch(of: /--product (\w+)/)?.1)
    let manifest = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
    #expect(manifest.contains("\"\(product.capitalized)\""))
    #expect(build.contains("/image/usr/local/bin/\(product)"))
    let start = try #require(arguments("ENTRYPOINT").first)
    #expect(start == #"["/usr/local/bin/\#(product)", "--config", "/etc/\#(product).json"]"#)
    #expect(arguments("COPY").contains("Examples/Watcher/\(product).json /etc/\(product).json"))
    #expect(arguments("COPY").contains("--from=build /image /"))
  }

  @Test("both stages have the same distribution")
  func stages() throws {
    let bases = arguments("FROM")
    #expect(bases.count == 2)
    #expect(bases.allSatisfy { $0.contains("bookworm") })
  }
}

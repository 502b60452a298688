import Foundation
import NetworkCore
import Testing

private func example() async throws -> String {
  let provider = NetworkProvider<API>()  // URLSession.shared
  let text = try await provider.response(for: .zen).mapString()  // data(for:)
  return text
}

/// The names that the tables of the article lead to.
@Suite("Names in Find what you need")
struct FindWhatYouNeedTests {
  @Test("each of our names in the tables is public")
  func names() throws {
    let article = try Document("Sources/ReactiveNetwork/ReactiveNetwork.docc/FindWhatYouNeed.md").text
    let tables = article.components(separatedBy: "\n\n").filter { $0.contains(/^\| [^|]+ \| here \|/) }
    #expect(tables.count == 3)
    let declarations = try PublicDeclarations()
    for line in tables.flatMap({ $0.split(separator: "\n") }) {
      for name in line.split(separator: "|").last.map({ $0.matches(of: /`([^`]+)`/) }) ?? [] {
        #expect(declarations.contains(name.1), "\(name.1) is no public name: \(line)")
      }
    }
    #expect(!declarations.contains("rx.requestWithHurry(_:)"))
    #expect(!declarations.contains("rx.request(_:hurry:)"))
  }
}

/// The public declarations of the package, by name.
private struct PublicDeclarations {
  /// The lines in which the declarations of a name begin, with those that may continue them.
  private var signatures: [Substring: [String]] = [:]

  init() throws {
    let declaration =
      #/^ *(?:.*\b(?:public|open) .*\b(?:func|var|let|struct|class|enum|protocol)|case) (\w+)/#
    let files = try FileManager.default.subpathsOfDirectory(
      atPath: Document.root.appending(path: "Sources").path)
    for file in files where file.hasSuffix(".swift") {
      let lines = try Document("Sources/\(file)").text.split(separator: "\n")
      for (index, line) in lines.enumerated() {
        guard let name = line.prefixMatch(of: declaration)?.1 else { continue }
        signatures[name, default: []].append(lines[index...].prefix(8).joined(separator: " "))
      }
    }
  }

  /// Returns `true` if each part of a name such as `rx.download(_:to:)` is declared, with these labels.
  func contains(_ name: Substring) -> Bool {
    name.matches(of: /(\w+)(?:\(([\w:]*)\))?/).allSatisfy { part in
      let labels = (part.2 ?? "").split(separator: ":").filter { $0 != "_" }
      return signatures[part.1, default: []].contains { signature in
        labels.allSatisfy { signature.contains(" \($0)") || signature.contains("(\($0)") }
      }
    }
  }
}

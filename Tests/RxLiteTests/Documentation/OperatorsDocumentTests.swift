import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Runs the diagrams of the articles about operators, so that they stay correct.
@Suite("Articles about operators")
struct OperatorsDocumentTests {
  /// A name, the diagrams below it, and the meanings of their characters.
  struct Entry {
    let name: String
    var diagrams: [String] = []
    var values: [Character: String] = [:]
  }

  private static func entries() throws -> [Entry] {
    let folder = URL(filePath: #filePath).appending(path: "../../../../Sources/RxLite/RxLite.docc")
      .standardized
    let articles = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let text = try articles.map {
      try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
    }.joined()
    var entries: [Entry] = []
    for block in text.split(separator: "```marbles\n", omittingEmptySubsequences: false).dropFirst() {
      for line in block.prefix(upTo: block.firstRange(of: "```")?.lowerBound ?? block.endIndex)
        .split(separator: "\n")
      {
        let words = line.split(separator: " ").map(String.init)
        if !line.hasPrefix(" ") {
          entries.append(Entry(name: String(line)))
        } else if words.first == "where" {
          for pair in words.dropFirst().map({ $0.split(separator: "=") }) {
            let character = try #require(pair[0].first)
            entries[entries.count - 1].values[character] = String(try #require(pair.last))
          }
        } else {
          entries[entries.count - 1].diagrams.append(words.joined())
        }
      }
    }
    return entries
  }

  @Test("every operator does what its diagram shows")
  func diagrams() throws {
    let entries = try Self.entries()
    #expect(entries.count > 70)
    for entry in entries {
      let marbles = Marbles()
      let make = try #require(
        DocumentedOperators(scheduler: marbles.scheduler).all[entry.name], "\(entry.name) is not tested")
      var diagrams = entry.diagrams
      let last = diagrams.popLast()
      let result = try #require(last, "\(entry.name) has no diagram")
      let sources = try diagrams.map { try marbles.cold($0, values: entry.values).asObservable() }
      let sequence = make(sources.first ?? .never(), sources.last ?? .never())
        .catch { _ in .error(MarbleFailure()) }
      // The text after the diagram is not part of it.
      let end = "^" + String(repeating: "-", count: result.count - 1) + "!"
      do {
        try marbles.expect(result, values: entry.values, during: end, from: sequence)
      } catch {
        Issue.record("\(entry.name): \(error)")
      }
    }
  }

  @Test("every tested diagram appears in the articles exactly once")
  func names() throws {
    let names = try Self.entries().map(\.name)
    let tested = DocumentedOperators(scheduler: TestScheduler(initialClock: 0)).all.keys
    #expect(names.sorted() == tested.sorted())
  }
}

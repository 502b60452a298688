import Foundation
import Testing

/// The cases of a test suite that others have written, or that is written from a standard.
struct ForeignSuite<Content: Decodable & Sendable>: Decodable, Sendable {
  /// A case, and the reason why this library differs from it; `nil` if it must agree.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let content: Content
    let difference: String?

    var testDescription: String { name }

    /// Expects that a case agrees exactly if it is not listed as a difference.
    func expect(
      _ agrees: Bool, _ actual: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      if difference != nil {
        #expect(
          !agrees, "\(name) agrees, but is listed as a difference", sourceLocation: sourceLocation)
      } else {
        #expect(agrees, "\(name) yields \(actual())", sourceLocation: sourceLocation)
      }
    }
  }

  private struct Name: Decodable { let name: String }

  private enum Key: String, CodingKey { case suite, source, version, licence, cases, differences }

  let cases: [Case]
  /// The names of differences that are not the names of cases.
  let unknownDifferences: [String]

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    for key in [Key.suite, .source, .version, .licence] {
      let text = try container.decode(String.self, forKey: key)
      if text.isEmpty {
        throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "empty")
      }
    }
    let names = try container.decode([Name].self, forKey: .cases).map(\.name)
    let differences = try container.decode([String: String].self, forKey: .differences)
    cases = zip(names, try container.decode([Content].self, forKey: .cases)).map { name, content in
      Case(name: name, content: content, difference: differences[name])
    }
    unknownDifferences = differences.filter { !names.contains($0.key) || $0.value.isEmpty }.map(\.key)
  }

  /// Reads a file of `Vectors/ForeignSuites`.
  init(_ file: String) throws {
    let url = Bundle.module.bundleURL.appendingPathComponent("Vectors/ForeignSuites/\(file).json")
    self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
  }

  /// Returns the cases of a file; none if it cannot be read, which a test of their number finds.
  static func cases(of file: String) -> [Case] { (try? ForeignSuite(file).cases) ?? [] }

  /// Expects that the file has so many cases, and a reason for each difference.
  static func check(_ file: String, count: Int) throws {
    let suite = try ForeignSuite(file)
    #expect(suite.cases.count == count)
    #expect(Set(suite.cases.map(\.name)).count == count)
    #expect(suite.unknownDifferences.isEmpty)
  }
}

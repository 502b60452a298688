import Foundation
@testable import NetworkCoreTestSupport
import Testing

/// One row of a vector file: an input and the expected output.
struct TestVector: Decodable, Sendable, CustomTestStringConvertible {
  let name: String
  let input: JSONValue
  let expected: JSONValue

  var testDescription: String { name }

  /// Returns the rows of a file for which `included` returns `true`.
  ///
  /// A file that is missing or is not JSON yields a row that fails, so that a suite never passes for lack of
  /// rows.
  static func rows(of file: String, where included: (TestVector) -> Bool = { _ in true }) -> [TestVector] {
    do {
      let url = Bundle.module.bundleURL.appendingPathComponent("Vectors/\(file).json")
      return try JSONDecoder().decode([TestVector].self, from: Data(contentsOf: url)).filter(included)
    } catch {
      return [TestVector(name: "\(file) cannot be read: \(error)", input: .null, expected: .null)]
    }
  }
}

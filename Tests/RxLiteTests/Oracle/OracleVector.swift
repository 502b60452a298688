import Foundation

/// A pipeline, and what it does with RxSwift 6.
struct OracleVector: Sendable {
  let pipeline: String
  let expected: PipelineOutcome

  static let all = Result { try rows(of: "rxswift").map { try OracleVector($0) } }

  private init(_ columns: [Substring]) throws {
    pipeline = String(columns[0])
    expected = try PipelineOutcome(columns: columns.dropFirst())
  }

  /// Returns the lines of a vector file, split at the tabs.
  static func rows(of file: String) throws -> [[Substring]] {
    let url = Bundle.module.bundleURL.appendingPathComponent("Vectors/\(file).tsv")
    return try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
  }
}

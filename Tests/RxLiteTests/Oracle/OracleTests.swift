import Foundation
import RxLite
import Testing

/// Compares RxLite with RxSwift 6, on random pipelines in virtual time.
///
/// `Vectors/rxswift.tsv` contains a pipeline and RxSwift's answer in each line: the events of each observer, the
/// subscriptions of the test sources, and the side effects.
@Suite("Random pipelines", .timeLimit(.minutes(5)))
struct OracleTests {
  private static let count = 4_065
  private static let chunkSize = 100

  @Test(
    "do what they do with RxSwift", arguments: stride(from: 0, to: count, by: chunkSize).map { $0 + 1 })
  func comparison(firstLine: Int) throws {
    let deviating = Set(try OracleDeviation.all.get().map(\.pipeline))
    let vectors = try OracleVector.all.get().dropFirst(firstLine - 1).prefix(Self.chunkSize)
    #expect(!vectors.isEmpty)
    for vector in vectors where !deviating.contains(vector.pipeline) {
      let outcome = try PipelineRun.outcome(of: vector.pipeline)
      if !outcome.isEqualUpToDisposals(vector.expected) {
        Issue.record(difference(of: vector.pipeline, ("RxSwift", vector.expected), ("RxLite", outcome)))
      }
    }
  }

  @Test("deviate from RxSwift only as listed in deviations.tsv")
  func deviations() throws {
    let expected = Dictionary(
      try OracleVector.all.get().map { ($0.pipeline, $0.expected) }, uniquingKeysWith: { first, _ in first })
    for deviation in try OracleDeviation.all.get() {
      let expected = try #require(
        expected[deviation.pipeline], "no line of rxswift.tsv: \(deviation.pipeline)")
      let outcome = try PipelineRun.outcome(of: deviation.pipeline)
      if outcome.isEqualUpToDisposals(expected) {
        Issue.record(
          """
          This pipeline agrees with RxSwift now. Remove its line from deviations.tsv, below "\(deviation.reason)":
          \(deviation.pipeline)
          """)
      } else if !outcome.isEqualUpToDisposals(deviation.answer) {
        let line = ([deviation.pipeline] + outcome.columns).joined(separator: "\t")
        let text = difference(
          of: deviation.pipeline, ("RxSwift", expected), ("deviations.tsv", deviation.answer),
          ("RxLite", outcome))
        Issue.record("\(text)\nThe new line of deviations.tsv, if the change is meant:\n\(line)")
      }
    }
  }

  @Test("are all read") func vectors() throws {
    #expect(try OracleVector.all.get().count == Self.count)
  }

  /// Returns the answers to a pipeline without the columns that are equal.
  private func difference(
    of pipeline: String, _ answers: (source: String, outcome: PipelineOutcome)...
  ) -> Comment {
    let names = ["events", "subscriptions", "side effects"]
    let lines = names.indices.flatMap { column -> [String] in
      let texts = answers.map { $0.outcome.columns[column] }
      if Set(texts).count == 1 { return [] }
      return zip(answers, texts).map { "  \(names[column]), \($0.source): \($1)" }
    }
    return Comment(rawValue: ([pipeline] + lines).joined(separator: "\n"))
  }
}

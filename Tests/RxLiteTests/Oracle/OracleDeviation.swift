import Foundation

/// A pipeline that RxLite answers differently from RxSwift, by intention.
///
/// `deviations.tsv` lists them below their reasons: a line that begins with `#` is a reason, and each other line
/// is a pipeline with RxLite's answer, in the columns of `rxswift.tsv`. The article `Operators` explains the
/// reasons.
struct OracleDeviation: Sendable {
  let reason: String
  let pipeline: String
  let answer: PipelineOutcome

  static let all = Result { try parse(OracleVector.rows(of: "deviations")) }

  private static func parse(_ rows: [[Substring]]) throws -> [OracleDeviation] {
    var reason = ""
    var deviations: [OracleDeviation] = []
    for columns in rows {
      if columns[0].hasPrefix("#") {
        reason = columns[0].dropFirst().trimmingCharacters(in: .whitespaces)
      } else {
        deviations.append(
          OracleDeviation(
            reason: reason, pipeline: String(columns[0]),
            answer: try PipelineOutcome(columns: columns.dropFirst())))
      }
    }
    return deviations
  }
}

import Dispatch
import RxLite
import RxLiteTesting

/// An operator in a pipeline, with its numbers and its sources.
struct OperatorCall {
  typealias Operator = (OperatorCall) throws -> Observable<Int>

  let run: PipelineRun
  let numbers: [Int]
  let sources: [Observable<Int>]

  var source: Observable<Int> { sources[0] }
  var other: Observable<Int> { sources[1] }
  var scheduler: TestScheduler { run.scheduler }

  /// A number of the operator; missing numbers are 0.
  subscript(index: Int) -> Int { index < numbers.count ? numbers[index] : 0 }

  func seconds(_ index: Int) -> RxTimeInterval { .seconds(self[index]) }
  func function(_ index: Int) throws -> Function { try parameter(index) }
  func predicate(_ index: Int) throws -> Predicate { try parameter(index) }

  /// Returns the case of an enumeration whose number the operator has.
  func parameter<Parameter: RawRepresentable>(
    _ index: Int, _ type: Parameter.Type = Parameter.self
  ) throws -> Parameter where Parameter.RawValue == Int {
    guard let parameter = Parameter(rawValue: self[index]) else {
      throw InvalidPipeline(reason: "\(type) has no number \(self[index])")
    }
    return parameter
  }
}

extension OperatorCall {
  /// All operators by the names that the vectors give them.
  static let operators: [String: Operator] =
    [
      testSources, creation, creationOnScheduler, closures, selection, filtering, transformation, grouping,
      time,
      threads, flattening, combination, continuation, errors, effects, sharing, traits, reentrancy,
    ]
    .reduce(into: [:]) { all, operators in
      all.merge(operators) { _, _ in preconditionFailure("a name twice") }
    }
}

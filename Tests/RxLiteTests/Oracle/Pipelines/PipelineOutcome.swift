import RxLite
import RxLiteTesting

/// What a pipeline did, as the vectors describe it.
struct PipelineOutcome: Equatable {
  /// The events of each observer with their times: `o0: 210:n3 230:c`.
  let events: String
  /// The subscriptions of each hot and cold test source: `hot0: 200-350`.
  let subscriptions: String
  /// The calls of observers and of other closures, in their order: `350 o0 subscribe`.
  let sideEffects: [String]
}

extension PipelineOutcome {
  /// The outcome of a pipeline that was stopped because it did not end by itself.
  static let endless = PipelineOutcome(
    events: "stopped after \(PipelineRun.sideEffectLimit) side effects", subscriptions: "", sideEffects: [])

  /// Creates the outcome from the columns of a vector file.
  init(columns: some RandomAccessCollection<Substring>) throws {
    let columns = columns.map(String.init)
    guard columns.count == 3 else {
      throw InvalidPipeline(reason: "expected 3 columns, not \(columns.count)")
    }
    self.init(
      events: columns[0], subscriptions: columns[1],
      sideEffects: columns[2].split(separator: ";").map { String($0.drop { $0 == " " }) })
  }

  /// The columns of a vector file.
  var columns: [String] { [events, subscriptions, sideEffects.joined(separator: "; ")] }

  /// Returns `true` if the outcomes are the same except for the order in which resources are disposed at one
  /// time.
  ///
  /// That order is no promise of RxSwift: it changes between its releases.
  func isEqualUpToDisposals(_ other: PipelineOutcome) -> Bool {
    events == other.events && subscriptions == other.subscriptions
      && sideEffects.sorted() == other.sideEffects.sorted()
      && sideEffects.filter { !Self.isDisposal($0) } == other.sideEffects.filter { !Self.isDisposal($0) }
  }

  /// Returns `true` for the `onDispose` of `do`, the `onDisposed` of an observer, and the disposal of a `create`
  /// or of a resource (`create1-`, `using1-`).
  private static func isDisposal(_ sideEffect: String) -> Bool {
    sideEffect.hasSuffix(" disp") || sideEffect.hasSuffix(" disposed") || sideEffect.hasSuffix("-")
  }
}

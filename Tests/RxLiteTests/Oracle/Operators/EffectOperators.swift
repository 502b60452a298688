import RxLite

extension OperatorCall {
  /// Operators whose closures have side effects.
  static let effects: [String: Operator] = [
    "do": recordedEvents,
    "using": { call in
      let name = "using\(call.run.nextIdentifier())"
      let failure = call[0]
      return .using(
        { () -> TestResource in
          if failure == 1 { throw PipelineError(code: 81) }
          call.run.record("\(name)+")
          return TestResource { call.run.record("\(name)-") }
        },
        observableFactory: { _ in
          if failure == 2 { throw PipelineError(code: 82) }
          return call.source
        })
    },
    "deferred": { call in
      .deferred {
        if call[0] == 1 { throw PipelineError(code: 83) }
        call.run.record("deferred")
        return call.source
      }
    },
  ]

  private enum FailingClosure: Int {
    case none, onNext, afterNext, onError, onCompleted
  }

  /// `do[failing closure]`: closures of `onNext` and `afterNext` fail for some elements.
  private static func recordedEvents(_ call: OperatorCall) throws -> Observable<Int> {
    let record = call.recorder("do")
    let failing = try call.parameter(0, FailingClosure.self)
    return call.source.do(
      onNext: {
        record("n\($0)")
        if failing == .onNext, $0 % 3 == 2 { throw PipelineError(code: 71) }
      },
      afterNext: {
        record("an\($0)")
        if failing == .afterNext, $0 % 3 == 2 { throw PipelineError(code: 72) }
      },
      onError: {
        record("e:\(describe($0))")
        if failing == .onError { throw PipelineError(code: 73) }
      },
      afterError: { record("ae:\(describe($0))") },
      onCompleted: {
        record("c")
        if failing == .onCompleted { throw PipelineError(code: 74) }
      },
      afterCompleted: { record("ac") }, onSubscribe: { record("sub") }, onSubscribed: { record("subd") },
      onDispose: { record("disp") })
  }

  /// Returns a closure that records side effects of this operator alone.
  func recorder(_ name: String) -> (String) -> Void {
    let name = "\(name)\(run.nextIdentifier())"
    return { [run] in run.record("\(name) \($0)") }
  }
}

/// A resource of `using` that calls a closure at its first disposal.
final class TestResource: Disposable {
  private var onDispose: (() -> Void)?

  init(onDispose: @escaping () -> Void) {
    self.onDispose = onDispose
  }

  func dispose() {
    let action = onDispose
    onDispose = nil
    action?()
  }
}

import RxLite

extension OperatorCall {
  /// Operators that send to a subject or dispose an observer while an element passes.
  static let reentrancy: [String: Operator] = [
    // tapFeed[subject,chosen element,value,kind of event]
    "tapFeed": { call in
      let kind: EventKind = try call.parameter(3)
      return call.atElement(call[1]) { call.run.send(kind.event(call[2]), toSubject: call[0]) }
    },
    // tapDispose[observer,chosen element]
    "tapDispose": { call in
      call.atElement(call[1]) { call.run.disposeObserver(call[0]) }
    },
  ]

  /// Performs an action before the element with a number is delivered; all observers count together.
  private func atElement(_ chosen: Int, _ action: @escaping () -> Void) -> Observable<Int> {
    var count = 0
    return source.do(onNext: { _ in
      count += 1
      if count == chosen { action() }
    })
  }
}

import RxLite

extension OperatorCall {
  private enum MaybeOperator: Int {
    case asObservable, map, filter, compactMap, delay, timeout, catchAndReturn, retry, observeOn, asMaybe
    case ifEmptyDefault, ifEmptySwitchToMaybe, ifEmptySwitchToSingle, `do`, asSingle, asObservableAgain
  }

  // `maybe1[operator,conversion,function,seconds](source)`
  static func maybeOperator(_ call: OperatorCall) throws -> Observable<Int> {
    let conversion: MaybeConversion = try call.parameter(1)
    let (source, function) = (conversion(call.source), try call.function(2))
    let (time, scheduler) = (call.seconds(3), call.scheduler)
    switch try call.parameter(0, MaybeOperator.self) {
    case .asObservable, .asObservableAgain: return source.asObservable()
    case .map: return source.map { try function($0) }.asObservable()
    case .filter:
      let predicate = try call.predicate(2)
      return source.filter { try predicate($0) }.asObservable()
    case .compactMap: return source.compactMap(function.oddResult).asObservable()
    case .delay: return source.delay(time, scheduler: scheduler).asObservable()
    case .timeout: return source.timeout(time, scheduler: scheduler).asObservable()
    case .catchAndReturn: return source.catchAndReturn(5).asObservable()
    case .retry: return source.retry(call[2] % 3).asObservable()
    case .observeOn: return source.observe(on: scheduler).asObservable()
    case .asMaybe: return source.asObservable().asMaybe().asObservable()
    case .ifEmptyDefault: return source.ifEmpty(default: 8).asObservable()
    case .ifEmptySwitchToMaybe: return source.ifEmpty(switchTo: Maybe.just(3)).asObservable()
    case .ifEmptySwitchToSingle: return source.ifEmpty(switchTo: Single.just(3)).asObservable()
    case .do: return call.recordedMaybe(source, isFailing: function == .failForOdd).asObservable()
    case .asSingle: return source.asObservable().asSingle().asObservable()
    }
  }

  private func recordedMaybe(_ source: Maybe<Int>, isFailing: Bool) -> Maybe<Int> {
    let record = recorder("mdo")
    return source.do(
      onNext: {
        record("\($0)")
        if isFailing { throw PipelineError(code: 75) }
      },
      afterNext: { record("a\($0)") },
      onError: { record("e\(describe($0))") }, afterError: { record("ae\(describe($0))") },
      onCompleted: { record("c") }, afterCompleted: { record("ac") },
      onSubscribe: { record("sub") }, onSubscribed: { record("subd") }, onDispose: { record("disp") })
  }

  private enum MaybeCombination: Int {
    case flatMap, zip, ifEmptySwitchToMaybe, `catch`, timeout, ifEmptySwitchToSingle
  }

  // `maybe2[operator,conversion,function,seconds](first,second)`
  static func maybeCombination(_ call: OperatorCall) throws -> Observable<Int> {
    let conversion: MaybeConversion = try call.parameter(1)
    let (first, second) = (conversion(call.source), MaybeConversion.takeOne(call.other))
    let function = try call.function(2)
    switch try call.parameter(0, MaybeCombination.self) {
    case .flatMap:
      return first.flatMap { element in
        _ = try function(element)
        return second
      }.asObservable()
    case .zip: return Maybe.zip(first, second, resultSelector: function.pair).asObservable()
    case .ifEmptySwitchToMaybe: return first.ifEmpty(switchTo: second).asObservable()
    case .catch: return first.catch { _ in second }.asObservable()
    case .timeout:
      return first.timeout(call.seconds(3), other: second, scheduler: call.scheduler).asObservable()
    case .ifEmptySwitchToSingle:
      return first.ifEmpty(switchTo: SingleConversion.takeOne(call.other)).asObservable()
    }
  }
}

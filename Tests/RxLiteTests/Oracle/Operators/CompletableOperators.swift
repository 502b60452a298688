import RxLite

extension OperatorCall {
  private enum CompletableOperator: Int {
    case none, delay, timeout, retry, observeOn, subscribeOn, `catch`, `do`, deferred, noneAgain
  }

  // `compl1[operator,unused,count,seconds](source)`
  static func completableOperator(_ call: OperatorCall) throws -> Observable<Int> {
    let (source, time, scheduler) = (call.source.completable, call.seconds(3), call.scheduler)
    switch try call.parameter(0, CompletableOperator.self) {
    case .none, .noneAgain: return source.end
    case .delay: return source.delay(time, scheduler: scheduler).end
    case .timeout: return source.timeout(time, scheduler: scheduler).end
    case .retry: return source.retry(call[2] % 3).end
    case .observeOn: return source.observe(on: scheduler).end
    case .subscribeOn: return source.subscribe(on: scheduler).end
    case .catch: return source.catch { _ in .empty() }.end
    case .do: return call.recordedCompletable(source).end
    case .deferred: return Completable.deferred { source }.end
    }
  }

  private func recordedCompletable(_ source: Completable) -> Completable {
    let record = recorder("cdo")
    return source.do(
      onError: { record("e\(describe($0))") }, afterError: { record("ae\(describe($0))") },
      onCompleted: { record("c") }, afterCompleted: { record("ac") },
      onSubscribe: { record("sub") }, onSubscribed: { record("subd") }, onDispose: { record("disp") })
  }

  private enum CompletableCombination: Int {
    case andThenObservable, andThenSingle, andThenMaybe, andThenCompletable, zip, concatOfList, timeout,
      concat
  }

  // `compl2[operator,seconds](first,second,…)`
  static func completableCombination(_ call: OperatorCall) throws -> Observable<Int> {
    let (first, second) = (call.source.completable, call.other.completable)
    switch try call.parameter(0, CompletableCombination.self) {
    case .andThenObservable: return first.andThen(call.other)
    case .andThenSingle: return first.andThen(SingleConversion.takeOne(call.other)).asObservable()
    case .andThenMaybe: return first.andThen(MaybeConversion.takeOne(call.other)).asObservable()
    case .andThenCompletable: return first.andThen(second).end
    case .zip: return Completable.zip(call.sources.map(\.completable)).end
    case .concatOfList: return Completable.concat(call.sources.map(\.completable)).end
    case .timeout: return first.timeout(call.seconds(1), other: second, scheduler: call.scheduler).end
    case .concat: return first.concat(second).end
    }
  }
}

import RxLite

extension OperatorCall {
  private enum SingleOperator: Int {
    case asObservable, map, filter, compactMap, delay, delaySubscription, timeout, catchAndReturn, retry
    case observeOn, subscribeOn, asMaybe, asCompletable, `do`, deferred, using, retryWhen, asInfallible
    case flatMapCompletable, asSingle
  }

  // `single1[operator,conversion,function,seconds](source)`
  static func singleOperator(_ call: OperatorCall) throws -> Observable<Int> {
    let conversion: SingleConversion = try call.parameter(1)
    let (source, function) = (conversion(call.source), try call.function(2))
    let (time, scheduler) = (call.seconds(3), call.scheduler)
    switch try call.parameter(0, SingleOperator.self) {
    case .asObservable, .asSingle: return source.asObservable()
    case .map: return source.map { try function($0) }.asObservable()
    case .filter:
      let predicate = try call.predicate(2)
      return source.filter { try predicate($0) }.asObservable()
    case .compactMap: return source.compactMap(function.oddResult).asObservable()
    case .delay: return source.delay(time, scheduler: scheduler).asObservable()
    case .delaySubscription: return source.delaySubscription(time, scheduler: scheduler).asObservable()
    case .timeout: return source.timeout(time, scheduler: scheduler).asObservable()
    case .catchAndReturn: return source.catchAndReturn(5).asObservable()
    case .retry: return source.retry(call[2] % 3).asObservable()
    case .observeOn: return source.observe(on: scheduler).asObservable()
    case .subscribeOn: return source.subscribe(on: scheduler).asObservable()
    case .asMaybe: return source.asMaybe().asObservable()
    case .asCompletable: return source.asCompletable().end
    case .do: return call.recordedSingle(source, isFailing: function == .failForOdd).asObservable()
    case .deferred: return Single.deferred { source }.asObservable()
    case .using:
      return Single.using(
        { TestResource { call.run.record("susing-") } }, primitiveSequenceFactory: { _ in source }
      ).asObservable()
    case .retryWhen:
      return source.retry { (errors: Observable<any Error>) in
        errors.take(2).delay(time, scheduler: scheduler)
      }
      .asObservable()
    case .asInfallible: return source.asInfallible(onErrorJustReturn: 4).asObservable()
    case .flatMapCompletable:
      return source.flatMapCompletable { $0 % 2 == 0 ? .empty() : .error(PipelineError(code: 84)) }.end
    }
  }

  private func recordedSingle(_ source: Single<Int>, isFailing: Bool) -> Single<Int> {
    let record = recorder("sdo")
    return source.do(
      onSuccess: {
        record("\($0)")
        if isFailing { throw PipelineError(code: 75) }
      },
      afterSuccess: { record("a\($0)") },
      onError: { record("e\(describe($0))") }, afterError: { record("ae\(describe($0))") },
      onSubscribe: { record("sub") }, onSubscribed: { record("subd") }, onDispose: { record("disp") })
  }

  private enum SingleCombination: Int {
    case flatMap, zip, flatMapMaybe, flatMapCompletable, `catch`, timeout, zipOfList, concatMap, flatMapAgain
  }

  // `single2[operator,conversion,function,seconds](first,second)`
  static func singleCombination(_ call: OperatorCall) throws -> Observable<Int> {
    let conversion: SingleConversion = try call.parameter(1)
    let (first, second) = (conversion(call.source), SingleConversion.takeOne(call.other))
    let function = try call.function(2)
    switch try call.parameter(0, SingleCombination.self) {
    case .flatMap, .flatMapAgain:
      return first.flatMap { element in
        _ = try function(element)
        return second
      }.asObservable()
    case .zip: return Single.zip(first, second, resultSelector: function.pair).asObservable()
    case .flatMapMaybe: return first.flatMapMaybe { _ in MaybeConversion.takeOne(call.other) }.asObservable()
    case .flatMapCompletable: return first.flatMapCompletable { _ in call.other.completable }.end
    case .catch: return first.catch { _ in second }.asObservable()
    case .timeout:
      return first.timeout(call.seconds(3), other: second, scheduler: call.scheduler).asObservable()
    case .zipOfList: return Single.zip([first, second], resultSelector: function.list).asObservable()
    case .concatMap: return Observable.from([first, second]).concatMap { $0 }
    }
  }
}

import RxLite

extension OperatorCall {
  private enum InfallibleOperator: Int {
    case map, flatMap, flatMapLatest, concatMap, flatMapFirst, combineLatest, zip, merge, concat, share
    case startWith, distinctUntilChanged, scan, take, skipWhile, takeUntil, withLatestFrom, takeFor, debounce
    case throttle, skipUntil, compactMap, fallback, distinctUntilKeyChanged
  }

  // `infallible[operator,seconds](first,second)`
  static func infallibleOperator(_ call: OperatorCall) throws -> Observable<Int> {
    let kind: InfallibleOperator = try call.parameter(0)
    return call.infallible(kind).asObservable()
  }

  private func infallible(_ kind: InfallibleOperator) -> Infallible<Int> {
    let first = source.asInfallible(onErrorJustReturn: 99)
    let second = other.asInfallible(onErrorFallbackTo: .just(98))
    switch kind {
    case .map: return first.map { $0 + 1 }
    case .flatMap: return first.flatMap { _ in second }
    case .flatMapLatest: return first.flatMapLatest { _ in second }
    case .concatMap: return first.concatMap { _ in second }
    case .flatMapFirst: return first.flatMapFirst { _ in second }
    case .combineLatest: return .combineLatest(first, second, resultSelector: pair)
    case .zip: return .zip(first, second, resultSelector: pair)
    case .merge: return .merge(first, second)
    case .concat: return .concat(first, second)
    case .share: return first.share(replay: 1)
    case .startWith: return first.startWith(3)
    case .distinctUntilChanged: return first.distinctUntilChanged()
    case .scan: return first.scan(1) { bounded($0 + $1) }
    case .take: return first.take(2)
    case .skipWhile: return first.skip(while: { $0 < 3 })
    case .takeUntil: return first.take(until: second)
    case .withLatestFrom: return first.withLatestFrom(second)
    case .takeFor: return first.take(for: seconds(1), scheduler: scheduler)
    case .debounce: return first.debounce(seconds(1), scheduler: scheduler)
    case .throttle: return first.throttle(seconds(1), scheduler: scheduler)
    case .skipUntil: return first.skip(until: other)
    case .compactMap: return first.compactMap { $0 % 2 == 0 ? nil : $0 }
    case .fallback: return source.asInfallible { _ in second }
    case .distinctUntilKeyChanged: return first.distinctUntilChanged { (element: Int) -> Int in element % 3 }
    }
  }
}

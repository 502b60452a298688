public import RxLite

/// Counts what is running: as a sequence of whether anything is, for a spinner, or of how many.
///
/// ```swift
/// let activity = ActivityIndicator()
/// let answers = queries.flatMapLatest { provider.rx.request(.search($0)).trackActivity(activity) }
/// activity.asObservable().subscribe(onNext: { print($0 ? "loading" : "done") })
/// ```
///
/// May be used from any thread.
public final class ActivityIndicator: ObservableConvertibleType, Sendable {
  private let changes = PublishSubject<Int>()
  private let count = BehaviorRelay(value: 0)

  /// Makes an indicator: nothing is running.
  public init() {
    // The subject brings changes of several threads into an order. Both end with the indicator.
    _ = changes.scan(0, accumulator: +).bind(to: count)
  }

  /// How many tracked sequences are subscribed: now, and whenever it changes.
  public var inFlight: Observable<Int> { count.asObservable() }

  /// Whether any tracked sequence is subscribed: now, and whenever that changes.
  public func asObservable() -> Observable<Bool> {
    inFlight.map { $0 > 0 }.distinctUntilChanged()
  }

  fileprivate func track<Element>(_ source: Observable<Element>) -> Observable<Element> {
    let changes = changes
    return source.do(onSubscribe: { changes.onNext(1) }, onDispose: { changes.onNext(-1) })
  }
}

extension ObservableType {
  /// Counts as running in an indicator from being subscribed to its end or dispose.
  ///
  /// - Parameter indicator: the indicator.
  /// - Returns: the sequence.
  public func trackActivity(_ indicator: ActivityIndicator) -> Observable<Element> {
    indicator.track(asObservable())
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// Counts as running in an indicator from being subscribed to its end or dispose.
  ///
  /// - Parameter indicator: the indicator.
  /// - Returns: the single.
  public func trackActivity(_ indicator: ActivityIndicator) -> Single<Element> {
    indicator.track(asObservable()).asSingle()
  }
}

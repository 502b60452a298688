public import RxLite

/// Counts active sequences: reports whether any is active, for a spinner, or how many are.
///
/// ```swift
/// let activity = ActivityIndicator()
/// let responses = queries.flatMapLatest { provider.rx.request(.search($0)).trackActivity(activity) }
/// activity.asObservable().subscribe(onNext: { print($0 ? "loading" : "done") })
/// ```
///
/// May be used from any thread.
public final class ActivityIndicator: ObservableConvertibleType, Sendable {
  private let changes = PublishSubject<Int>()
  private let count = BehaviorRelay(value: 0)

  /// Creates an indicator without active sequences.
  public init() {
    // The subject puts changes from several threads in order. Both subjects end with the indicator.
    _ = changes.scan(0, accumulator: +).bind(to: count)
  }

  /// The number of subscriptions to tracked sequences: the current value, then each change.
  public var inFlight: Observable<Int> { count.asObservable() }

  /// Returns whether any tracked sequence is subscribed to: the current value, then each change.
  public func asObservable() -> Observable<Bool> {
    inFlight.map { $0 > 0 }.distinctUntilChanged()
  }

  fileprivate func track<Element>(_ source: Observable<Element>) -> Observable<Element> {
    let changes = changes
    return source.do(onSubscribe: { changes.onNext(1) }, onDispose: { changes.onNext(-1) })
  }
}

extension ObservableType {
  /// Counts each subscription in an indicator, until its end or disposal.
  ///
  /// - Parameter indicator: the indicator.
  /// - Returns: the sequence.
  public func trackActivity(_ indicator: ActivityIndicator) -> Observable<Element> {
    indicator.track(asObservable())
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// Counts each subscription in an indicator, until its end or disposal.
  ///
  /// - Parameter indicator: the indicator.
  /// - Returns: the single.
  public func trackActivity(_ indicator: ActivityIndicator) -> Single<Element> {
    indicator.track(asObservable()).asSingle()
  }
}

public import Dispatch
import Foundation
import Locking
public import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Keeps the element for some time, for all who subscribe to the returned single.
  ///
  /// The first subscriber starts the source, who comes while it runs shares it, and who comes later gets the kept element,
  /// until that is too old. Errors are not kept. The source is disposed when all who wait for it are.
  ///
  /// - Parameters:
  ///   - lifetime: how long the element is kept, counted from its arrival.
  ///   - scheduler: the clock; a virtual one for tests.
  /// - Returns: the single: make it once and keep it.
  public func cached(
    for lifetime: RxTimeInterval,
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Single<Element> {
    let kept = Lock<(element: Element, until: RxTime)?>(nil)
    let running = asObservable()
      .do(onNext: { element in
        let new = (element, scheduler.now.addingTimeInterval(lifetime.inSeconds))
        // The former element is released outside of the lock.
        _ = kept.withLock { exchange(&$0, with: new) }
      })
      .share(replay: 1, scope: .whileConnected)
    return Single.deferred {
      if let found = kept.withLock({ $0 }), scheduler.now < found.until { return .just(found.element) }
      return running.asSingle()
    }
  }
}

extension ObservableType {
  /// Shares one subscription that lasts while somebody is subscribed, and repeats the latest element to who comes later.
  ///
  /// The older spelling of `share(replay: 1, scope: .whileConnected)`.
  ///
  /// - Returns: the shared sequence.
  public func shareReplayLatestWhileConnected() -> Observable<Element> {
    share(replay: 1, scope: .whileConnected)
  }
}

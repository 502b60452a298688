/// The lifetime of the replayed elements of a shared sequence.
public enum SubjectLifetimeScope: Sendable {
  /// Until the last observer is disposed or the source ends; then the sequence starts anew.
  case whileConnected
  /// As long as the shared sequence lives; when the source ends, the shared sequence ends for good.
  case forever
}

extension ObservableType {
  /// Shares one subscription to the source among all observers.
  ///
  /// The source is subscribed to with the first observer and disposed with the last. With `.whileConnected`,
  /// an observer that subscribes after the end subscribes to the source again.
  ///
  /// - Parameters:
  ///   - replay: the number of last elements that a new observer receives first; 0 or more.
  ///   - scope: the lifetime of these elements.
  /// - Returns: the shared sequence.
  @inlinable public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Observable<
    Element
  > {
    switch (scope, replay) {
    case (.whileConnected, ...0):
      sharing {
        let subject = PublishSubject<Element>()
        return SharedSubject(add: subject.source, send: subject.on)
      }
    case (.whileConnected, 1):
      sharing {
        let broadcast = ReplayingBroadcast(RingReplayBuffer<Element>(size: 1))
        return SharedSubject(add: broadcast.add, send: broadcast.send)
      }
    case (.whileConnected, _): self.replay(replay).refCount()
    case (.forever, ...0): multicast(PublishSubject()).refCount()
    case (.forever, _): multicast(ReplaySubject.create(bufferSize: replay)).refCount()
    }
  }

  /// Does the work of `multicast` and `refCount` with one call fewer for each event.
  @inlinable func sharing(
    _ makeSubject: @escaping () -> SharedSubject<Element, Element>
  ) -> Observable<Element> {
    Observable(
      needsTrampoline: false,
      source: SharedSource(asObservable(), endsWithSubject: false, makeSubject: makeSubject).addCounted)
  }
}

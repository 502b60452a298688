import RxLite

/// How `let` shares its sequence, by its number in the vectors.
enum Sharing: Int {
  case none, share, shareReplayingOne, shareReplayingTwoForever, publishRefCount, replayOneRefCount

  func callAsFunction(_ source: Observable<Int>) -> Observable<Int> {
    switch self {
    case .none: source
    case .share: source.share()
    case .shareReplayingOne: source.share(replay: 1)
    case .shareReplayingTwoForever: source.share(replay: 2, scope: .forever)
    case .publishRefCount: source.publish().refCount()
    case .replayOneRefCount: source.replay(1).refCount()
    }
  }
}

/// How a connectable sequence shares its source, by its number in the vectors.
enum Multicasting: Int {
  case publish, replay, replayAll, publishSubject, behaviorSubject, replaySubject
  case newAsyncSubjects, newBehaviorSubjects

  /// Creates the connectable sequence; `number` is the first element or the size of the buffer of its subject.
  func callAsFunction(_ source: Observable<Int>, number: Int) -> ConnectableObservable<Int> {
    switch self {
    case .publish: source.publish()
    case .replay: source.replay(number)
    case .replayAll: source.replayAll()
    case .publishSubject: source.multicast(PublishSubject())
    case .behaviorSubject: source.multicast(BehaviorSubject(value: number))
    case .replaySubject: source.multicast(ReplaySubject.create(bufferSize: number))
    case .newAsyncSubjects: source.multicast { AsyncSubject<Int>() }
    case .newBehaviorSubjects: source.multicast { BehaviorSubject(value: number) }
    }
  }
}

/// How the closure of `multicast` combines a shared sequence with another, by its number in the vectors.
enum Combination: Int {
  case merge, zip, combineLatest, concat, withLatestFrom, takeUntil, skipUntil, amb, sample

  func callAsFunction(_ first: Observable<Int>, _ second: Observable<Int>) -> Observable<Int> {
    switch self {
    case .merge: .merge(first, second)
    case .zip: .zip(first, second, resultSelector: pair)
    case .combineLatest: .combineLatest(first, second, resultSelector: pair)
    case .concat: first.concat(second)
    case .withLatestFrom: first.withLatestFrom(second, resultSelector: pair)
    case .takeUntil: first.take(until: second)
    case .skipUntil: first.skip(until: second)
    case .amb: first.amb(second)
    case .sample: first.sample(second)
    }
  }
}

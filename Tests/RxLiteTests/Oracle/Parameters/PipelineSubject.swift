import RxLite

/// A type of subjects or relays, by its number in the vectors.
enum PipelineSubject: Int {
  case publish, behavior, replay, async, replayAll, publishRelay, behaviorRelay, replayRelay

  typealias Subject = (sequence: Observable<Int>, send: (Event<Int>) -> Void)

  /// Creates a subject; `number` is its first element or the size of its buffer.
  func subject(number: Int) -> Subject {
    switch self {
    case .publish: return subject(PublishSubject<Int>())
    case .behavior: return subject(BehaviorSubject(value: number))
    case .replay: return subject(ReplaySubject<Int>.create(bufferSize: number))
    case .async: return subject(AsyncSubject<Int>())
    case .replayAll: return subject(ReplaySubject<Int>.createUnbounded())
    case .publishRelay:
      let relay = PublishRelay<Int>()
      return (relay.asObservable(), { $0.element.map(relay.accept) })
    case .behaviorRelay:
      let relay = BehaviorRelay(value: number)
      return (relay.asObservable(), { $0.element.map(relay.accept) })
    case .replayRelay:
      let relay = ReplayRelay<Int>.create(bufferSize: number)
      return (relay.asObservable(), { $0.element.map(relay.accept) })
    }
  }

  private func subject<S: SubjectType & ObserverType>(_ subject: S) -> Subject where S.Element == Int {
    (subject.asObservable(), { subject.on($0) })
  }
}

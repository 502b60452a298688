import RxLite

/// A class that is neither `Sendable` nor isolated to an actor.
final class PlainClass {
  private let bag = DisposeBag()
  private var count = 0
  private let offset = 0

  func load() {
    words.map { $0.filter { $0 != "bob" } }
      .subscribe(onNext: { report("plain class", $0.map { $0 + "!" }) })
      .disposed(by: bag)
    number.map { $0 + self.offset }
      // ^6 capture of 'self' with non-Sendable type 'PlainClass' in a '@Sendable' closure
      .subscribe(onNext: { report("plain class, state in map", $0) })
      .disposed(by: bag)
    number.do(onNext: { [weak self] in self?.count += $0 })
      // ^6 capture of 'self' with non-Sendable type 'PlainClass?' in a '@Sendable' closure
      .subscribe(with: self, onNext: { plain, _ in report("plain class, with", plain.count > 0) })
      // ^6 type 'PlainClass' does not conform to the 'Sendable' protocol
      .disposed(by: bag)
  }
}

/// An observer that is not `Sendable`.
final class PlainObserver: ObserverType {
  private var count = 0

  func on(_ event: Event<Int>) {
    if event.element != nil { count += 1 }
  }
}

/// A class that is not `Sendable`, whose state is used by scheduled work and by a disposal.
final class PlainWorker {
  private var runs = 0

  func start(on scheduler: any SchedulerType) -> any Disposable {
    let disposal = Disposables.create { self.runs = 0 }
    // ^6 capture of 'self' with non-Sendable type 'PlainWorker' in a '@Sendable' closure
    _ = scheduler.schedule(()) {
      self.runs += 1
      // ^6 capture of 'self' with non-Sendable type 'PlainWorker' in a '@Sendable' closure
      return disposal
    }
    _ = scheduler.scheduleRelative(1, dueTime: .seconds(1)) { [weak self] count in
      self?.runs += count
      // ^6 capture of 'self' with non-Sendable type 'PlainWorker?' in a '@Sendable' closure
      return disposal
    }
    _ = scheduler.schedulePeriodic((), startAfter: .seconds(1), period: .seconds(1)) { self.runs += 1 }
    // ^6 capture of 'self' with non-Sendable type 'PlainWorker' in a '@Sendable' closure
    _ = MainScheduler.instance.scheduleRecursive(1) { count, recurse in
      self.runs += count
      // ^6 capture of 'self' with non-Sendable type 'PlainWorker' in a '@Sendable' closure
    }
    return Disposables.create(with: { [runs] in report("plain worker", runs) })
  }
}

/// A scheduler of the application whose closures are not `@Sendable`.
final class ForwardingScheduler: ImmediateSchedulerType {
  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    action(state)
  }
}

/// Erases the type of an observer that is not `Sendable`.
func erasedObservers() -> [AnyObserver<Int>] {
  let observer = PlainObserver()
  return [
    observer.asObserver(),
    // ^6 type 'PlainObserver' does not conform to the 'Sendable' protocol
    AnyObserver(observer),
    // ^6 type 'PlainObserver' does not conform to the 'Sendable' protocol
    observer.mapObserver { $0 + 1 },
    // ^6 type 'PlainObserver' does not conform to the 'Sendable' protocol
  ]
}

/// Iterates a sequence that is not `Sendable` in a task.
func elements<Elements: AsyncSequence>(of sequence: Elements) -> Observable<Elements.Element> {
  sequence.asObservable()
  // ^6 type 'Elements' does not conform to the 'Sendable' protocol
}

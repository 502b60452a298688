import Dispatch
import ReactiveNetworkLock
import RxLite
import Testing

/// Two threads, each called by one sequence, act on the other sequence at the same time.
///
/// This deadlocks if a sequence holds a lock while it calls an observer, a source or a disposable.
@Suite(
  "two threads that act on each other's sequence do not deadlock", .timeLimit(.minutes(5)))
struct CrossThreadDeadlockTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Returns the sequence of a source, and a closure that connects it.
    let apply: @Sendable (Observable<Int>) -> (sequence: Observable<Int>, connect: () -> any Disposable)

    init(_ name: String, _ apply: @escaping @Sendable (Observable<Int>) -> Observable<Int>) {
      testDescription = name
      self.apply = { (apply($0), { Disposables.create() }) }
    }

    init(
      connectable name: String, _ apply: @escaping @Sendable (Observable<Int>) -> ConnectableObservable<Int>
    ) {
      testDescription = name
      self.apply = { source in
        let connectable = apply(source)
        return (connectable, { connectable.connect() })
      }
    }

    init(
      subject name: String, _ make: @escaping @Sendable () -> (Observable<Int>, observer: AnyObserver<Int>)
    ) {
      testDescription = name
      apply = { source in
        let (sequence, observer) = make()
        return (sequence, { source.subscribe(observer) })
      }
    }

    static let all = [
      Row("create") { source in .create { source.subscribe($0) } },
      Row("merge") { .merge($0, .empty()) },
      Row("merge of the same twice") { .merge($0, $0) },
      Row("flatMap") { source in Observable.just(0).flatMap { _ in source } },
      Row("concatMap") { source in Observable.just(0).concatMap { _ in source } },
      Row("flatMapLatest") { source in Observable.just(0).flatMapLatest { _ in source } },
      Row("concat") { .concat([.empty(), $0]) },
      Row("amb") { .amb([$0, .never()]) },
      Row("zip") { .zip($0, $0) { first, _ in first } },
      Row("zip of a list") { Observable.zip([$0, $0]).map { $0[0] } },
      Row("combineLatest") { .combineLatest($0, $0) { first, _ in first } },
      Row("combineLatest of a list") { Observable.combineLatest([$0, $0]).map { $0[0] } },
      Row("withLatestFrom") { $0.withLatestFrom(Observable.just(0)) { first, _ in first } },
      Row("take(until:)") { $0.take(until: Observable<Int>.never()) },
      Row("share()") { $0.share() },
      Row("share(replay: 1)") { $0.share(replay: 1) },
      Row("share(replay: 2)") { $0.share(replay: 2) },
      Row("share(replay: 1, scope: .forever)") { $0.share(replay: 1, scope: .forever) },
      Row("publish and refCount") { $0.publish().refCount() },
      Row("replayAll and refCount") { $0.replayAll().refCount() },
      Row(connectable: "publish and connect") { $0.publish() },
      Row(connectable: "replay and connect") { $0.replay(1) },
      Row(connectable: "multicast and connect") { $0.multicast(PublishSubject()) },
      Row(subject: "PublishSubject") {
        let subject = PublishSubject<Int>()
        return (subject, AnyObserver(subject))
      },
      Row(subject: "BehaviorSubject") {
        let subject = BehaviorSubject(value: 0)
        return (subject, AnyObserver(subject))
      },
      Row(subject: "ReplaySubject") {
        let subject = ReplaySubject<Int>.create(bufferSize: 1)
        return (subject, AnyObserver(subject))
      },
    ]
  }

  /// The call of a sequence during which its thread acts on the other sequence.
  enum Place: CaseIterable, Sendable { case delivery, subscription, disposal }

  /// The action on the other sequence.
  enum Reach: CaseIterable { case subscribe, dispose, send, complete, connect }

  /// One of the two sequences, with an observer that stays and one that the other side may dispose.
  private final class Side: @unchecked Sendable {
    // Sendable: the closures and the sequence are constants, the rest is behind a lock or thread-safe.
    let probe = Probe<Int>()
    let arrival = Arrival()
    let bag = DisposeBag()
    private let subject = PublishSubject<Int>()
    private let connection = SerialDisposable()
    private let stayer = SerialDisposable()
    private let victim = SerialDisposable()
    private let action = Lock<(place: Place, run: () -> Void)?>(nil)
    private var sequence = Observable<Int>.never()
    private var connect: () -> any Disposable = { Disposables.create() }

    init(_ row: Row) {
      let source = subject.do(
        onSubscribe: { [weak self] in self?.pass(.subscription) },
        onDispose: { [weak self] in self?.pass(.disposal) })
      (sequence, connect) = row.apply(source)
    }

    /// Runs the action once, when the sequence makes that call.
    func plan(_ place: Place, _ run: @escaping () -> Void) {
      action.withLock { $0 = (place, run) }
    }

    private func pass(_ place: Place) {
      let due = action.withLock { action in
        action?.place == place ? action.take() : nil
      }
      due?.run()
    }

    func start() {
      stayer.disposable = sequence.subscribe { [weak self] event in
        self?.probe.on(event)
        if event.element == 1 { self?.pass(.delivery) }
      }
      victim.disposable = sequence.subscribe()
      connection.disposable = connect()
    }

    func stop() {
      victim.dispose()
      stayer.dispose()
      connection.dispose()
    }

    func send(_ element: Int) {
      subject.onNext(element)
    }

    func reach(_ reach: Reach) {
      switch reach {
      case .subscribe: bag.insert(sequence.subscribe())
      case .dispose: victim.dispose()
      case .send: subject.onNext(2)
      case .complete: subject.onCompleted()
      case .connect: bag.insert(connect())
      }
    }
  }

  @Test("from inside a delivery, a subscription or a disposal", arguments: Row.all, Place.allCases)
  func cross(row: Row, place: Place) {
    for reach in Reach.allCases {
      let sides = [Side(row), Side(row)]
      let met = Lock(0)
      for (own, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
        own.plan(place) {
          own.arrival.arrive()
          // Neither thread continues before both are inside.
          guard other.arrival.waits() else { return }
          other.reach(reach)
          met.withLock { $0 += 1 }
        }
        if place != .subscription { own.start() }
      }
      let threads = DispatchGroup()
      for side in sides {
        DispatchQueue(label: "crossing").async(group: threads) {
          switch place {
          case .delivery: side.send(1)
          case .subscription: side.start()
          case .disposal: side.stop()
          }
        }
      }
      // Deadlocked threads are abandoned: this test fails, and the others run.
      guard threads.wait(timeout: .now() + 60) == .success else {
        Issue.record("\(row) hangs: \(reach) inside \(place)")
        return
      }
      #expect(met.withLock { $0 } == 2)
      for side in sides {
        #expect(side.probe.overlaps == 0)
        #expect(side.probe.events.dropLast().allSatisfy { !$0.isStopEvent })
        if place == .delivery {
          let elements = side.probe.elements.filter { $0 != 0 }
          #expect(elements == elements.sorted())
          #expect(Set(elements) == (reach == .send ? [1, 2] : [1]))
          #expect(side.probe.events.contains(.completed) == (reach == .complete), "\(reach)")
        }
        side.stop()
      }
    }
  }
}

import Dispatch
import ReactiveNetworkLock
import RxLite
@testable import RxLiteTestSupport
import Testing

/// Two threads, each called by one sequence, act on the other sequence at the same time.
///
/// This deadlocks if a sequence holds a lock while it calls an observer, a source or a disposable.
@Suite(
  "Two threads that act on each other's sequence", .timeLimit(.minutes(5)))
struct CrossThreadDeadlockTests {
  struct SequenceCase: Sendable, CustomTestStringConvertible {
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
      SequenceCase("create") { source in .create { source.subscribe($0) } },
      SequenceCase("merge") { .merge($0, .empty()) },
      SequenceCase("merge of the same twice") { .merge($0, $0) },
      SequenceCase("flatMap") { source in Observable.just(0).flatMap { _ in source } },
      SequenceCase("concatMap") { source in Observable.just(0).concatMap { _ in source } },
      SequenceCase("flatMapLatest") { source in Observable.just(0).flatMapLatest { _ in source } },
      SequenceCase("concat") { .concat([.empty(), $0]) },
      SequenceCase("amb") { .amb([$0, .never()]) },
      SequenceCase("zip") { .zip($0, $0) { first, _ in first } },
      SequenceCase("zip of a list") { Observable.zip([$0, $0]).map { $0[0] } },
      SequenceCase("combineLatest") { .combineLatest($0, $0) { first, _ in first } },
      SequenceCase("combineLatest of a list") { Observable.combineLatest([$0, $0]).map { $0[0] } },
      SequenceCase("withLatestFrom") { $0.withLatestFrom(Observable.just(0)) { first, _ in first } },
      SequenceCase("take(until:)") { $0.take(until: Observable<Int>.never()) },
      SequenceCase("share()") { $0.share() },
      SequenceCase("share(replay: 1)") { $0.share(replay: 1) },
      SequenceCase("share(replay: 2)") { $0.share(replay: 2) },
      SequenceCase("share(replay: 1, scope: .forever)") { $0.share(replay: 1, scope: .forever) },
      SequenceCase("publish and refCount") { $0.publish().refCount() },
      SequenceCase("replayAll and refCount") { $0.replayAll().refCount() },
      SequenceCase(connectable: "publish and connect") { $0.publish() },
      SequenceCase(connectable: "replay and connect") { $0.replay(1) },
      SequenceCase(connectable: "multicast and connect") { $0.multicast(PublishSubject()) },
      SequenceCase(subject: "PublishSubject") {
        let subject = PublishSubject<Int>()
        return (subject, AnyObserver(subject))
      },
      SequenceCase(subject: "BehaviorSubject") {
        let subject = BehaviorSubject(value: 0)
        return (subject, AnyObserver(subject))
      },
      SequenceCase(subject: "ReplaySubject") {
        let subject = ReplaySubject<Int>.create(bufferSize: 1)
        return (subject, AnyObserver(subject))
      },
    ]
  }

  /// The call of a sequence during which its thread acts on the other sequence.
  enum EnclosingCall: CaseIterable, Sendable { case delivery, subscription, disposal }

  /// The action on the other sequence.
  enum Action: CaseIterable { case subscribe, dispose, send, complete, connect }

  /// One of the two sequences, with an observer that stays and one that the other side may dispose.
  private final class CrossedSequence: @unchecked Sendable {
    // Sendable: the closures and the sequence are constants, the rest is behind a lock or thread-safe.
    let recorder = RecordingObserver<Int>()
    let semaphore = TestSemaphore()
    let bag = DisposeBag()
    private let subject = PublishSubject<Int>()
    private let connection = SerialDisposable()
    private let stayer = SerialDisposable()
    private let victim = SerialDisposable()
    private let plannedAction = Lock<(call: EnclosingCall, run: () -> Void)?>(nil)
    private var sequence = Observable<Int>.never()
    private var connect: () -> any Disposable = { Disposables.create() }

    init(_ row: SequenceCase) {
      let source = subject.do(
        onSubscribe: { [weak self] in self?.entered(.subscription) },
        onDispose: { [weak self] in self?.entered(.disposal) })
      (sequence, connect) = row.apply(source)
    }

    /// Runs the action once, when the sequence makes that call.
    func runOnce(during call: EnclosingCall, _ run: @escaping () -> Void) {
      plannedAction.withLock { $0 = (call, run) }
    }

    private func entered(_ call: EnclosingCall) {
      let due = plannedAction.withLock { plannedAction in
        plannedAction?.call == call ? plannedAction.take() : nil
      }
      due?.run()
    }

    func start() {
      stayer.disposable = sequence.subscribe { [weak self] event in
        self?.recorder.on(event)
        if event.element == 1 { self?.entered(.delivery) }
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

    func perform(_ action: Action) {
      switch action {
      case .subscribe: bag.insert(sequence.subscribe())
      case .dispose: victim.dispose()
      case .send: subject.onNext(2)
      case .complete: subject.onCompleted()
      case .connect: bag.insert(connect())
      }
    }
  }

  @Test(
    "two threads do not deadlock inside a delivery, a subscription or a disposal",
    arguments: SequenceCase.all,
    EnclosingCall.allCases)
  func cross(row: SequenceCase, call: EnclosingCall) {
    for action in Action.allCases {
      let sides = [CrossedSequence(row), CrossedSequence(row)]
      let met = Lock(0)
      for (own, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
        own.runOnce(during: call) {
          own.semaphore.signal()
          // Neither thread continues before both are inside.
          guard other.semaphore.wait() else { return }
          other.perform(action)
          met.withLock { $0 += 1 }
        }
        if call != .subscription { own.start() }
      }
      let threads = DispatchGroup()
      for side in sides {
        DispatchQueue(label: "crossing").async(group: threads) {
          switch call {
          case .delivery: side.send(1)
          case .subscription: side.start()
          case .disposal: side.stop()
          }
        }
      }
      // Deadlocked threads are abandoned: this test fails, and the others run.
      guard threads.wait(timeout: .now() + 60) == .success else {
        Issue.record("\(row) hangs: \(action) inside \(call)")
        return
      }
      #expect(met.withLock { $0 } == 2)
      for side in sides {
        #expect(side.recorder.overlaps == 0)
        #expect(side.recorder.events.dropLast().allSatisfy { !$0.isStopEvent })
        if call == .delivery {
          let elements = side.recorder.elements.filter { $0 != 0 }
          #expect(elements == elements.sorted())
          #expect(Set(elements) == (action == .send ? [1, 2] : [1]))
          #expect(side.recorder.events.contains(.completed) == (action == .complete), "\(action)")
        }
        side.stop()
      }
    }
  }
}

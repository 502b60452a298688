import ReactiveNetworkLock
import RxLite
import Testing

/// An observer that joins while a connection ends never waits forever: it gets the end, or a new connection.
@Suite("an observer that joins a shared sequence while its connection ends", .timeLimit(.minutes(5)))
struct JoiningAtTheEndTests {
  struct Shared: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let share: @Sendable (Observable<Int>) -> Observable<Int>

    static let all = [
      Shared(testDescription: "share()") { $0.share() },
      Shared(testDescription: "share(replay: 1)") { $0.share(replay: 1) },
      Shared(testDescription: "share(replay: 2)") { $0.share(replay: 2) },
      Shared(testDescription: "share(scope: .forever)") { $0.share(scope: .forever) },
      Shared(testDescription: "share(replay: 2, scope: .forever)") { $0.share(replay: 2, scope: .forever) },
      Shared(testDescription: "publish and refCount") { $0.publish().refCount() },
      Shared(testDescription: "replayAll and refCount") { $0.replayAll().refCount() },
      Shared(testDescription: "multicast and refCount") { $0.multicast(PublishSubject()).refCount() },
    ]
  }

  /// A source that keeps its observers, to end them all.
  private final class Source: Sendable {
    private let observers = Lock<[AnyObserver<Int>]>([])
    private let whenDisposed: @Sendable () -> Void

    init(whenDisposed: @escaping @Sendable () -> Void = {}) {
      self.whenDisposed = whenDisposed
    }

    var connections: Int { observers.withLock { $0.count } }

    var sequence: Observable<Int> {
      .create { observer in
        self.observers.withLock { $0.append(observer) }
        return Disposables.create(with: self.whenDisposed)
      }
    }

    func send(_ event: Event<Int>) {
      for observer in observers.withLock({ $0 }) { observer.on(event) }
    }
  }

  /// Runs the action once, at the first disposal of the source.
  ///
  /// Subscribes an observer to `shared`, ends it by `end` and then ends the source.
  private func run(
    _ shared: Shared, end: (Source, any Disposable) -> Void,
    _ join: @escaping @Sendable (Observable<Int>) -> Void
  ) {
    let sequence = Lock<Observable<Int>?>(nil)
    let isArmed = Lock(true)
    let source = Source {
      guard
        isArmed.withLock({ isArmed in
          defer { isArmed = false }; return isArmed
        })
      else { return }
      if let sequence = sequence.withLock({ $0 }) { join(sequence) }
    }
    let made = shared.share(source.sequence)
    sequence.withLock { $0 = made }
    let subscription = made.subscribe()
    end(source, subscription)
    source.send(.completed)
    #expect(!isArmed.withLock { $0 })
  }

  /// Expects that an observer that joins while `end` ends the connection receives the end of the source.
  private func expectEnd(
    of shared: Shared, onAnotherThread: Bool, end: (Source, any Disposable) -> Void
  ) {
    let probe = Probe<Int>()
    run(shared, end: end) { sequence in
      if onAnotherThread {
        onThreads(1) { _ in _ = sequence.subscribe(probe) }
      } else {
        _ = sequence.subscribe(probe)
      }
    }
    #expect(probe.events == [.completed])
  }

  @Test("because the source has ended", arguments: Shared.all, [false, true])
  func sourceEnds(shared: Shared, onAnotherThread: Bool) {
    expectEnd(of: shared, onAnotherThread: onAnotherThread) { source, _ in source.send(.completed) }
  }

  @Test("because the last observer has been disposed", arguments: Shared.all, [false, true])
  func lastObserverLeaves(shared: Shared, onAnotherThread: Bool) {
    expectEnd(of: shared, onAnotherThread: onAnotherThread) { $1.dispose() }
  }

  @Test("because it was disconnected", arguments: [false, true])
  func disconnected(replays: Bool) {
    let disposals = Log()
    let (source, probe) = (Source { disposals.add("disposed") }, Probe<Int>())
    let connectable = replays ? source.sequence.replay(2) : source.sequence.publish()
    let shared = connectable.refCount()
    let subscription = shared.subscribe()
    connectable.connect().dispose()
    let second = shared.subscribe(probe)
    source.send(.next(1))
    #expect(probe.events == [.next(1)])
    subscription.dispose()
    source.send(.next(2))
    #expect(probe.events == [.next(1), .next(2)])
    #expect(disposals.lines.count == 1)
    second.dispose()
    #expect(source.connections == 2)
    #expect(disposals.lines.count == 2)
  }

  @Test("with the scope forever, it joins the ending connection and no other is made")
  func forever() {
    let probe = Probe<Int>()
    let shared = Lock<Observable<Int>?>(nil)
    let source = Source { _ = shared.withLock { $0 }?.subscribe(probe) }
    let made = source.sequence.share(replay: 2, scope: .forever)
    shared.withLock { $0 = made }
    _ = made.subscribe()
    source.send(.next(1))
    source.send(.completed)
    #expect(probe.events == [.next(1), .completed])
    #expect(source.connections == 1)
  }

  @Test("on one of several threads", arguments: Shared.all)
  func race(shared: Shared) {
    for _ in 0..<200 {
      let source = Source()
      let sequence = shared.share(source.sequence)
      let probes = (0..<3).map { _ in Probe<Int>() }
      _ = sequence.subscribe()
      onThreads(4) { thread in
        if thread == 3 { source.send(.completed) } else { _ = sequence.subscribe(probes[thread]) }
      }
      source.send(.completed)
      for probe in probes { #expect(probe.events == [.completed]) }
    }
  }
}

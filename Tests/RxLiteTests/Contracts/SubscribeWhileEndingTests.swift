import ReactiveNetworkLock
import RxLite
@testable import RxLiteTestSupport
import Testing

/// An observer that joins while a connection ends never waits forever: it gets the end, or a new connection.
@Suite("Subscribing to a shared sequence while its connection ends", .timeLimit(.minutes(5)))
struct SubscribeWhileEndingTests {
  struct SharingOperator: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let share: @Sendable (Observable<Int>) -> Observable<Int>

    static let all = [
      SharingOperator(testDescription: "share()") { $0.share() },
      SharingOperator(testDescription: "share(replay: 1)") { $0.share(replay: 1) },
      SharingOperator(testDescription: "share(replay: 2)") { $0.share(replay: 2) },
      SharingOperator(testDescription: "share(scope: .forever)") { $0.share(scope: .forever) },
      SharingOperator(testDescription: "share(replay: 2, scope: .forever)") {
        $0.share(replay: 2, scope: .forever)
      },
      SharingOperator(testDescription: "publish and refCount") { $0.publish().refCount() },
      SharingOperator(testDescription: "replayAll and refCount") { $0.replayAll().refCount() },
      SharingOperator(testDescription: "multicast and refCount") {
        $0.multicast(PublishSubject()).refCount()
      },
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
    _ shared: SharingOperator, end: (Source, any Disposable) -> Void,
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
    of shared: SharingOperator, onAnotherThread: Bool, end: (Source, any Disposable) -> Void
  ) {
    let recorder = RecordingObserver<Int>()
    run(shared, end: end) { sequence in
      if onAnotherThread {
        onThreads(1) { _ in _ = sequence.subscribe(recorder) }
      } else {
        _ = sequence.subscribe(recorder)
      }
    }
    #expect(recorder.events == [.completed])
  }

  @Test(
    "an observer that joins while the source ends receives the end", arguments: SharingOperator.all,
    [false, true])
  func sourceEnds(shared: SharingOperator, onAnotherThread: Bool) {
    expectEnd(of: shared, onAnotherThread: onAnotherThread) { source, _ in source.send(.completed) }
  }

  @Test(
    "an observer that joins while the last observer is disposed still receives the end",
    arguments: SharingOperator.all, [false, true])
  func lastObserverLeaves(shared: SharingOperator, onAnotherThread: Bool) {
    expectEnd(of: shared, onAnotherThread: onAnotherThread) { $1.dispose() }
  }

  @Test("an observer that joins after a disconnection gets a new connection", arguments: [false, true])
  func disconnected(replays: Bool) {
    let disposals = Log()
    let (source, recorder) = (Source { disposals.add("disposed") }, RecordingObserver<Int>())
    let connectable = replays ? source.sequence.replay(2) : source.sequence.publish()
    let shared = connectable.refCount()
    let subscription = shared.subscribe()
    connectable.connect().dispose()
    let second = shared.subscribe(recorder)
    source.send(.next(1))
    #expect(recorder.events == [.next(1)])
    subscription.dispose()
    source.send(.next(2))
    #expect(recorder.events == [.next(1), .next(2)])
    #expect(disposals.lines.count == 1)
    second.dispose()
    #expect(source.connections == 2)
    #expect(disposals.lines.count == 2)
  }

  @Test("with the scope forever, an observer joins the ending connection, and no other is made")
  func forever() {
    let recorder = RecordingObserver<Int>()
    let shared = Lock<Observable<Int>?>(nil)
    let source = Source { _ = shared.withLock { $0 }?.subscribe(recorder) }
    let made = source.sequence.share(replay: 2, scope: .forever)
    shared.withLock { $0 = made }
    _ = made.subscribe()
    source.send(.next(1))
    source.send(.completed)
    #expect(recorder.events == [.next(1), .completed])
    #expect(source.connections == 1)
  }

  @Test(
    "observers that join on several threads while the source ends receive the end",
    arguments: SharingOperator.all)
  func race(shared: SharingOperator) {
    for _ in 0..<200 {
      let source = Source()
      let sequence = shared.share(source.sequence)
      let recorders = (0..<3).map { _ in RecordingObserver<Int>() }
      _ = sequence.subscribe()
      onThreads(4) { thread in
        if thread == 3 { source.send(.completed) } else { _ = sequence.subscribe(recorders[thread]) }
      }
      source.send(.completed)
      for recorder in recorders { #expect(recorder.events == [.completed]) }
    }
  }
}

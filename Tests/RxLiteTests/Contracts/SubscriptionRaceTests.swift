import ReactiveNetworkLock
import RxLite
@testable import RxLiteTestSupport
import Testing

/// An end and a disposal on different threads: each closure is called at most once, each resource is disposed
/// once.
@Suite("Several threads that end one subscription", .timeLimit(.minutes(5)))
struct SubscriptionRaceTests {
  private let rounds = 200

  /// A disposable that records each disposal.
  private struct LoggingDisposable: Disposable {
    let log: Log
    let name: String

    func dispose() { log.add(name) }
  }

  @Test("create returns its disposable while another thread ends the sequence")
  func assignment() {
    for _ in 0..<rounds {
      let log = Log()
      let observer = Lock<AnyObserver<Int>?>(nil)
      onThreads(2) { thread in
        if thread == 0 {
          _ = Observable<Int>.create { newObserver in
            observer.withLock { $0 = newObserver }
            return LoggingDisposable(log: log, name: "work")
          }
          .subscribe(onDisposed: { log.add("disposed") })
        } else {
          var given: AnyObserver<Int>?
          while given == nil { given = observer.withLock { $0 } }
          given?.onCompleted()
        }
      }
      #expect(log.lines.sorted() == ["disposed", "work"])
    }
  }

  @Test("a single reports while it is disposed")
  func single() {
    for _ in 0..<rounds {
      let log = Log()
      let observer = Lock<Single<Int>.SingleObserver?>(nil)
      let subscription = Single<Int>.create { newObserver in
        observer.withLock { $0 = newObserver }
        return LoggingDisposable(log: log, name: "work")
      }
      .subscribe(
        onSuccess: { _ in log.add("success") }, onFailure: { _ in log.add("failure") },
        onDisposed: { log.add("disposed") })
      let report = observer.withLock { $0 }
      onThreads(4) { thread in
        switch thread {
        case 0: report?(.success(1))
        case 1: report?(.failure(TestError.one))
        default: subscription.dispose()
        }
      }
      let reports = log.lines.filter { $0 == "success" || $0 == "failure" }
      #expect(reports.count <= 1)
      #expect(log.lines.filter { !reports.contains($0) }.sorted() == ["disposed", "work"])
    }
  }

  @Test("the trigger of take(until:) fires while the subscription is disposed")
  func takeUntil() {
    for _ in 0..<rounds {
      let log = Log()
      let trigger = Lock<AnyObserver<Void>?>(nil)
      let other = Observable<Void>.create { newObserver in
        trigger.withLock { $0 = newObserver }
        return LoggingDisposable(log: log, name: "trigger")
      }
      let subscription = Observable<Int>.create { _ in LoggingDisposable(log: log, name: "source") }
        .take(until: other)
        .subscribe(onDisposed: { log.add("disposed") })
      let end = trigger.withLock { $0 }
      onThreads(4) { thread in
        switch thread {
        case 0: end?.onNext(())
        case 1: end?.onCompleted()
        default: subscription.dispose()
        }
      }
      #expect(log.lines.sorted() == ["disposed", "source", "trigger"])
    }
  }
}

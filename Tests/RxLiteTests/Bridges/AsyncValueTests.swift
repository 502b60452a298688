import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("async value and create", .timeLimit(.minutes(5)))
struct AsyncValueTests {
  /// Signals the steps of a subscription to waiting tasks.
  private struct OneShotSignal {
    let stream: AsyncStream<Void>
    let fire: @Sendable () -> Void

    init() {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      self.stream = stream
      fire = {
        continuation.yield()
        continuation.finish()
      }
    }

    func wait() async {
      for await _ in stream {}
    }
  }

  @Test("value returns the element or throws the error of a single")
  func single() async throws {
    #expect(try await Single.just(1).value == 1)
    await #expect(throws: TestError.one) { try await Single<Int>.error(TestError.one).value }
  }

  @Test("value returns the element of a maybe, or nil")
  func maybe() async throws {
    #expect(try await Maybe.just(1).value == 1)
    #expect(try await Maybe<Int>.empty().value == nil)
    await #expect(throws: TestError.one) { try await Maybe<Int>.error(TestError.one).value }
  }

  @Test("value waits for the end of a completable")
  func completable() async throws {
    try await Completable.empty().value
    await #expect(throws: TestError.one) { try await Completable.error(TestError.one).value }
  }

  @Test("value receives a later result from another thread")
  func later() async throws {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    #expect(try await Single.just(1, scheduler: scheduler).value == 1)
    #expect(try await Maybe.just(1, scheduler: scheduler).value == 1)
    try await Single.just(1, scheduler: scheduler).asCompletable().value
  }

  @Test("cancelling the task disposes the subscription", arguments: 0..<3)
  func cancelled(index: Int) async {
    let (subscribed, disposed) = (OneShotSignal(), OneShotSignal())
    let work: @Sendable () -> any Disposable = {
      subscribed.fire()
      return Disposables.create { disposed.fire() }
    }
    let task = Task {
      switch index {
      case 0: _ = try await Single<Int>.create { _ in work() }.value
      case 1: _ = try await Maybe<Int>.create { _ in work() }.value
      default: try await Completable.create { _ in work() }.value
      }
    }
    await subscribed.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await disposed.wait()
  }

  /// Returns or throws the result of `body` in a cancelled task.
  private func inCancelledTask<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error> {
    let start = OneShotSignal()
    let task = Task {
      await start.wait()
      precondition(Task.isCancelled)
      return try await body()
    }
    task.cancel()
    start.fire()
    return await task.result
  }

  @Test("in a cancelled task, a result during the subscription is returned")
  func cancelledBefore() async throws {
    #expect(try await inCancelledTask { try await Single.just(1).value }.get() == 1)
    #expect(try await inCancelledTask { try await Maybe.just(1).value }.get() == 1)
    #expect(try await inCancelledTask { try await Maybe<Int>.empty().value }.get() == nil)
    try await inCancelledTask { try await Completable.empty().value }.get()
    #expect(try await inCancelledTask { try await Observable.of(1, 2).toArray().value }.get() == [1, 2])
    let failures = [
      await inCancelledTask { try await Single<Int>.error(TestError.one).value }.map { _ in },
      await inCancelledTask { try await Maybe<Int>.error(TestError.one).value }.map { _ in },
      await inCancelledTask { try await Completable.error(TestError.one).value },
    ]
    for failure in failures { #expect(throws: TestError.one) { try failure.get() } }
  }

  @Test("in a cancelled task, a sequence without a result is disposed", arguments: 0..<3)
  func cancelledBeforeAnswer(index: Int) async {
    let log = Log()
    let work: @Sendable () -> any Disposable = {
      log.add("subscribed")
      return Disposables.create { log.add("disposed") }
    }
    let result: Result<Void, any Error> = await inCancelledTask {
      switch index {
      case 0: _ = try await Single<Int>.create { _ in work() }.value
      case 1: _ = try await Maybe<Int>.create { _ in work() }.value
      default: try await Completable.create { _ in work() }.value
      }
    }
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(log.lines == ["subscribed", "disposed"])
  }

  @Test("in a cancelled task, the source of a shared sequence is not started", arguments: 0..<5)
  func cancelledBeforeSharing(index: Int) async {
    let log = Log()
    let shared = Observable<Int>.create { observer in
      log.add("started")
      observer.onNext(1)
      observer.onCompleted()
      return Disposables.create()
    }.share()
    let infallible = Infallible<Int>.create { observer in
      log.add("started")
      observer(.completed)
      return Disposables.create()
    }.share()
    let result: Result<Void, any Error> = await inCancelledTask {
      switch index {
      case 0: _ = try await shared.asSingle().value
      case 1: _ = try await shared.asMaybe().value
      case 2: try await shared.ignoreElements().asCompletable().value
      case 3: for try await _ in shared.values {}
      default: for await _ in infallible.values {}
      }
    }
    #expect(log.lines == [])
    // The loop over an infallible cannot throw, so it just ends.
    if index < 4 { #expect(throws: CancellationError.self) { try result.get() } }
  }

  @Test("a single that ends without an element fails")
  func withoutElement() async {
    let empty = Single<Int>.error(TestError.one).retry { (errors: Observable<any Error>) in errors.take(1) }
    await #expect(throws: RxError.noElements) { try await empty.value }
  }

  @Test("nothing is kept after the task has resumed")
  func lifetime() async throws {
    let liveCount = TrackedObject.LiveCount()
    func element() async throws -> Int {
      let tracked = TrackedObject(in: liveCount)
      return try await Single.just(1).map { $0 + tracked.value }.value
    }
    #expect(try await element() == 1)
    #expect(liveCount.value == 0)
  }

  @Test("a single of an async closure sends its element, or its error", arguments: [false, true])
  func create(detached: Bool) async throws {
    let single = Single.create(detached: detached, priority: .high) { 1 }
    #expect(try await single.value == 1)
    let failing = Single<Int>.create(detached: detached) { throw TestError.one }
    await #expect(throws: TestError.one) { try await failing.value }
  }

  @Test("each subscription runs the closure anew")
  func cold() async throws {
    let log = Log()
    let single = Single<Int>.create {
      log.add("run")
      return log.lines.count
    }
    #expect(try await single.value == 1)
    #expect(try await single.value == 2)
  }

  @Test("disposing cancels the task, and a later result is not delivered")
  func disposed() async {
    let (started, cancelled) = (OneShotSignal(), OneShotSignal())
    let recorder = RecordingObserver<Int>()
    let single = Single<Int>.create {
      await withTaskCancellationHandler {
        started.fire()
        // Only the cancellation ends this wait.
        for await _ in AsyncStream.makeStream(of: Void.self).stream {}
      } onCancel: {
        cancelled.fire()
      }
      return 1
    }
    let subscription = single.asObservable().subscribe(recorder)
    await started.wait()
    subscription.dispose()
    await cancelled.wait()
    #expect(recorder.events == [])
  }

  @TaskLocal private static var word = "outer"

  @Test("the task has the subscriber's task-local values unless it is detached", arguments: [false, true])
  func taskLocals(detached: Bool) async throws {
    let single = Single.create(detached: detached) { Self.word }
    let word = try await Self.$word.withValue("inner") { try await single.value }
    #expect(word == (detached ? "outer" : "inner"))
  }

  @Test("by default, the task is not detached")
  func taskLocalsByDefault() async throws {
    let single = Single<String>.create { Self.word }
    let word = try await Self.$word.withValue("inner") { try await single.value }
    #expect(word == "inner")
  }

  @Test("the task has the requested priority", arguments: [false, true])
  func priority(detached: Bool) async {
    let (priorities, sent) = AsyncStream.makeStream(of: TaskPriority.self)
    // The priority is received through a stream, because awaiting the task would raise its priority. It is
    // high, because a task of low priority could wait until all other tests end.
    let subscription = Single.create(detached: detached, priority: .high) { Task.currentPriority }
      .subscribe(onSuccess: { sent.yield($0) })
    for await priority in priorities {
      #expect(priority == .high)
      break
    }
    subscription.dispose()
  }
}

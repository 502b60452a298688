import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("values and asObservable of an async sequence", .timeLimit(.minutes(5)))
struct AsyncSequenceTests {
  @Test("the loop receives all elements and the end")
  func values() async throws {
    var elements: [Int] = []
    for try await element in Observable.of(1, 2, 3).values { elements.append(element) }
    for await element in Infallible.of(4, 5).values { elements.append(element) }
    for try await element in Single.just(6).values { elements.append(element) }
    #expect(elements == [1, 2, 3, 4, 5, 6])
  }

  @Test("an error ends the loop")
  func error() async {
    let recorder = RecordingObserver<Int>()
    await #expect(throws: TestError.one) {
      let failing = Observable.of(1, 2).concat(Observable<Int>.error(TestError.one))
      for try await element in failing.values { recorder.on(.next(element)) }
    }
    #expect(recorder.elements == [1, 2])
  }

  @Test("all elements before the loop are buffered")
  func buffered() async throws {
    let subject = PublishSubject<Int>()
    let values = subject.values
    let infallible = subject.asInfallible(onErrorJustReturn: 0).values
    (1...1000).forEach(subject.onNext)
    subject.onCompleted()
    var elements: [Int] = []
    for try await element in values { elements.append(element) }
    #expect(elements == Array(1...1000))
    elements = []
    for await element in infallible { elements.append(element) }
    #expect(elements == Array(1...1000))
  }

  @Test("leaving the loop disposes the subscription", arguments: [false, true])
  func left(isInfallible: Bool) async throws {
    let (disposed, continuation) = AsyncStream.makeStream(of: Void.self)
    let numbers = Observable.of(1, 2).concat(Observable<Int>.never()).do(onDispose: { continuation.finish() })
    func leave() async throws -> Int? {
      if isInfallible {
        for await element in numbers.asInfallible(onErrorJustReturn: 0).values { return element }
      } else {
        for try await element in numbers.values { return element }
      }
      return nil
    }
    #expect(try await leave() == 1)
    for await _ in disposed {}
  }

  @Test("cancelling the task of the loop disposes the subscription, and the loop throws CancellationError")
  func cancelled() async {
    let (disposed, disposal) = AsyncStream.makeStream(of: Void.self)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      let numbers = Observable.of(1).concat(Observable<Int>.never()).do(onDispose: { disposal.finish() })
      for try await _ in numbers.values { start.finish() }
    }
    for await _ in started {}
    task.cancel()
    for await _ in disposed {}
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("a cancelled task receives the buffered elements, then CancellationError or the end")
  func cancelledBefore() async {
    let (ready, begin) = AsyncStream.makeStream(of: Void.self)
    let (unfinished, finished, infallible) = (
      RecordingObserver<Int>(), RecordingObserver<Int>(), RecordingObserver<Int>()
    )
    let task = Task {
      for await _ in ready {}
      precondition(Task.isCancelled)
      for try await element in Observable.of(1, 2).values { finished.on(.next(element)) }
      let endless = Observable.of(1, 2).concat(Observable<Int>.never())
      let safe = endless.asInfallible(onErrorJustReturn: 0)
      for await element in safe.values { infallible.on(.next(element)) }
      for try await element in endless.values { unfinished.on(.next(element)) }
    }
    task.cancel()
    begin.finish()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect([finished, infallible, unfinished].map(\.elements) == [[1, 2], [1, 2], [1, 2]])
  }

  @Test("releasing a stream without a loop disposes the subscription")
  func dropped() {
    let log = Log()
    _ = Observable<Int>.never().do(onDispose: { log.add("disposed") }).values
    #expect(log.lines == ["disposed"])
  }

  private struct FailingSequence: AsyncSequence, AsyncIteratorProtocol {
    private var count = 0

    mutating func next() async throws -> Int? {
      count += 1
      if count == 3 { throw TestError.one }
      return count
    }

    func makeAsyncIterator() -> FailingSequence { self }
  }

  @Test("an observable of an async sequence sends its elements, its end and its error")
  func asObservable() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    (1...3).forEach { continuation.yield($0) }
    continuation.finish()
    #expect(try await stream.asObservable().toArray().value == [1, 2, 3])
    let failing = FailingSequence().asObservable(priority: .high)
    #expect(try await failing.take(2).toArray().value == [1, 2])
    await #expect(throws: TestError.one) { try await failing.toArray().value }
  }

  private struct PrioritySequence: AsyncSequence, AsyncIteratorProtocol {
    mutating func next() async -> TaskPriority? { Task.currentPriority }
    func makeAsyncIterator() -> PrioritySequence { self }
  }

  @Test("the iterating task has the requested priority")
  func priority() async {
    let (priorities, sent) = AsyncStream.makeStream(of: TaskPriority.self)
    // The priority is received through a stream, because awaiting the task would raise its priority. It is
    // high, because a task of low priority could wait until all other tests end.
    let subscription = PrioritySequence().asObservable(priority: .high).take(1)
      .subscribe(onNext: { sent.yield($0) })
    for await priority in priorities {
      #expect(priority == .high)
      break
    }
    subscription.dispose()
  }

  /// An endless sequence that never checks for cancellation.
  private struct EndlessSequence: AsyncSequence, AsyncIteratorProtocol {
    let released: ReleaseNotifier

    final class ReleaseNotifier: Sendable {
      let token: AsyncStream<Void>.Continuation
      init(_ token: AsyncStream<Void>.Continuation) { self.token = token }
      deinit { token.finish() }
    }

    init(_ token: AsyncStream<Void>.Continuation) { released = ReleaseNotifier(token) }

    mutating func next() async -> Int? { 1 }
    func makeAsyncIterator() -> EndlessSequence { self }
  }

  @Test("disposing the subscription ends the task even if the sequence does not check for cancellation")
  func endless() async {
    let (released, token) = AsyncStream.makeStream(of: Void.self)
    let recorder = RecordingObserver<Int>()
    _ = EndlessSequence(token).asObservable().take(1).subscribe(recorder)
    for await _ in released {}
    #expect(recorder.events == [.next(1), .completed])
  }

  @Test("disposing the subscription cancels the iterating task")
  func disposed() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    continuation.onTermination = { _ in end.finish() }
    let (received, receive) = AsyncStream.makeStream(of: Int.self)
    let subscription = stream.asObservable().subscribe(onNext: { receive.yield($0) })
    continuation.yield(1)
    for await element in received {
      #expect(element == 1)
      break
    }
    subscription.dispose()
    for await _ in ended {}
  }

  @Test("a sequence that throws CancellationError completes")
  func cancellationError() async throws {
    let stream = AsyncThrowingStream<Int, any Error> { continuation in
      continuation.yield(1)
      continuation.finish(throwing: CancellationError())
    }
    var elements: [Int] = []
    for try await element in stream.asObservable().values { elements.append(element) }
    #expect(elements == [1])
  }
}

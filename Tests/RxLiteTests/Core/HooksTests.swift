import RxLite
@testable import RxLiteTestSupport
import Testing

// Hooks belong to the whole process, so each test runs in a separate process.
@Suite("Hooks", .timeLimit(.minutes(5)))
struct HooksTests {
  @Test("an unhandled error goes to the hook, without a call stack unless recording is on")
  func unhandledError() async {
    await #expect(processExitsWith: .success) {
      #expect(unhandled() == [[]])
    }
  }

  @Test("the call stack is that of the thread, or of the custom closure")
  func callStack() async {
    await #expect(processExitsWith: .success) {
      Hooks.recordCallStackOnError = true
      #expect(unhandled().first?.isEmpty == false)
      Hooks.customCaptureSubscriptionCallstack = { ["frame"] }
      #expect(unhandled() == [["frame"]])
    }
  }

  @Test("the call stack of a single's subscription is recorded too, but not if the subscriber handles errors")
  func callStackOfSingle() async {
    await #expect(processExitsWith: .success) {
      let captures = Log()
      Hooks.recordCallStackOnError = true
      Hooks.customCaptureSubscriptionCallstack = {
        captures.add("captured")
        return ["frame"]
      }
      let stacks = Log()
      Hooks.defaultErrorHandler = { stack, error in stacks.add("\(stack) \(error)") }
      _ = Single<Int>.error(TestError.one).subscribe(onSuccess: { _ in })
      _ = Single<Int>.error(TestError.two).subscribe(onSuccess: { _ in }, onFailure: { _ in })
      _ = Observable<Int>.error(TestError.two).subscribe(onError: { _ in })
      #expect(stacks.lines == [#"["frame"] one"#])
      #expect(captures.lines == ["captured"])
    }
  }

  @Test("an unhandled error goes to the hook even if the closures receive an object")
  func unhandledWithObject() async {
    await #expect(processExitsWith: .success) {
      let log = Log()
      Hooks.defaultErrorHandler = { _, error in log.add("\(error)") }
      let object = TrackedObject(in: TrackedObject.LiveCount())
      let failing = Observable<Int>.error(TestError.one)
      _ = failing.subscribe(with: object, onNext: { _, _ in })
      _ = failing.asSingle().subscribe(with: object, onSuccess: { _, _ in })
      _ = failing.ignoreElements().asCompletable().subscribe(with: object, onCompleted: { _ in })
      withExtendedLifetime(object) {}
      #expect(log.lines == ["one", "one", "one"])
    }
  }

  @Test("an unhandled error of a maybe goes to the hook even if the closures receive an object")
  func unhandledMaybeWithObject() async {
    await #expect(processExitsWith: .success) {
      let log = Log()
      Hooks.defaultErrorHandler = { _, error in log.add("\(error)") }
      let object = TrackedObject(in: TrackedObject.LiveCount())
      _ = Maybe<Int>.error(TestError.one).subscribe(with: object, onSuccess: { _, _ in })
      withExtendedLifetime(object) {}
      #expect(log.lines == ["one"])
    }
  }

  @Test("an unhandled error of a trait goes to the hook even if its closures run on the main actor")
  func unhandledOnMain() async {
    await #expect(processExitsWith: .success) {
      let log = Log()
      Hooks.defaultErrorHandler = { _, error in log.add("\(error)") }
      await MainActor.run {
        let object = TrackedObject(in: TrackedObject.LiveCount())
        _ = Single<Int>.error(TestError.one).subscribe(onMain: { _ in })
        _ = Single<Int>.error(TestError.two).subscribe(with: object, onMain: { _, _ in })
        _ = Maybe<Int>.error(TestError.one).subscribe(onMain: { _ in })
        _ = Completable.error(TestError.two).subscribe(onMain: {})
        withExtendedLifetime(object) {}
      }
      #expect(log.lines == ["one", "two", "one", "two"])
    }
  }

  @Test("an error that a closure of an infallible throws goes to the hook")
  func unhandledErrorOfInfallible() async {
    await #expect(processExitsWith: .success) {
      let log = Log()
      Hooks.defaultErrorHandler = { _, error in log.add("\(error)") }
      _ = Infallible.just(1).do(onNext: { _ in throw TestError.one }).subscribe(onNext: { _ in })
      #expect(log.lines == ["one"])
    }
  }

  @Test("a closure that is replaced may use the hooks when it is released")
  func releasedClosure() async {
    await #expect(processExitsWith: .success) {
      let log = Log()
      do {
        let readers = (0..<3).map { _ in HookReader(log) }
        Hooks.defaultErrorHandler = { [reader = readers[0]] _, _ in reader.use() }
        Hooks.customCaptureSubscriptionCallstack = { [reader = readers[1]] in
          reader.use()
          return []
        }
        Hooks.debugOutput = { [reader = readers[2]] _ in reader.use() }
      }
      #expect(log.lines == [])
      Hooks.defaultErrorHandler = { _, _ in }
      Hooks.customCaptureSubscriptionCallstack = { [] }
      Hooks.debugOutput = { _ in }
      #expect(log.lines == ["released", "released", "released"])
    }
  }

  @Test("by default, an unhandled error and the call stack of its subscription are printed")
  func defaultHandler() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      Hooks.recordCallStackOnError = true
      Hooks.customCaptureSubscriptionCallstack = { ["frame"] }
      _ = Observable<Int>.error(TestError.one).subscribe(onNext: { _ in })
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    #expect(output.contains("Unhandled error happened: one\n  frame\n"))
  }
}

/// Reads the hooks when it is released.
private final class HookReader: Sendable {
  private let log: Log

  init(_ log: Log) {
    self.log = log
  }

  deinit {
    _ = Hooks.defaultErrorHandler
    _ = Hooks.customCaptureSubscriptionCallstack
    _ = Hooks.debugOutput
    log.add("released")
  }

  func use() {}
}

/// Fails without an error handler; returns the stacks that the hook was called with.
private func unhandled() -> [[String]] {
  var stacks: [[String]] = []
  // The hook is a plain closure, which may change captured variables.
  Hooks.defaultErrorHandler = { stack, _ in stacks.append(stack) }
  Observable<Int>.error(TestError.one).subscribe(onNext: { _ in }).dispose()
  return stacks
}

import RxLite
import Testing

// Hooks belong to the whole process, so each test has one of its own.
@Suite("Hooks")
struct HooksTests {
  @Test("an error nobody handles goes to the hook, without a call stack unless it is wanted")
  func unhandledError() async {
    await #expect(processExitsWith: .success) {
      #expect(unhandled() == [[]])
    }
  }

  @Test("the call stack is the thread's, or what is set")
  func callStack() async {
    await #expect(processExitsWith: .success) {
      Hooks.recordCallStackOnError = true
      #expect(unhandled().first?.isEmpty == false)
      Hooks.customCaptureSubscriptionCallstack = { ["frame"] }
      #expect(unhandled() == [["frame"]])
    }
  }
}

/// Fails without an error handler; returns the stacks that the hook was called with.
private func unhandled() -> [[String]] {
  var stacks: [[String]] = []
  // A plain closure: it may change what it captures.
  Hooks.defaultErrorHandler = { stack, _ in stacks.append(stack) }
  Observable<Int>.error(TestError.one).subscribe(onNext: { _ in }).dispose()
  return stacks
}

import RxLite
@testable import RxLiteTestSupport
import Testing

/// A subject holds no lock while it releases something, because that may run any code.
///
/// Each test runs in a separate process, which a lock that is taken twice stops.
@Suite("Code that runs when a subject releases something", .timeLimit(.minutes(5)))
struct SubjectReleaseTests {
  @Test("the closures of an observer may use the subject")
  func observers() async {
    await #expect(processExitsWith: .success) {
      for kind in ReentrantSubjectTests.Kind.subjects {
        for end in ["disposed subscription", "completion", "disposed subject"] {
          let (log, subject) = (Log(), kind.make())
          let subscription: any Disposable
          do {
            let action = ReleaseAction { log.add("\(subject.hasObservers())") }
            subscription = subject.sequence.subscribe(onNext: { _ in action.use() })
          }
          #expect(log.lines == [])
          switch end {
          case "disposed subscription": subscription.dispose()
          case "completion": subject.complete()
          default: subject.dispose()
          }
          #expect(log.lines == ["false"], "\(kind.testDescription), \(end)")
          subscription.dispose()
        }
      }
    }
  }

  @Test("the error of a subject may use it when the subject is disposed")
  func errors() async {
    await #expect(processExitsWith: .success) {
      let (log, publish) = (Log(), PublishSubject<Int>())
      let replay = ReplaySubject<Int>.create(bufferSize: 1)
      publish.onError(ReleaseAction { log.add("\(publish.isDisposed)") })
      replay.onError(ReleaseAction { log.add("\(replay.hasObservers)") })
      #expect(log.lines == [])
      publish.dispose()
      #expect(log.lines == ["true"])
      replay.dispose()
      #expect(log.lines == ["true", "false"])
    }
  }

  @Test("an element may use the subject when another one replaces it or the subject is disposed")
  func elements() async {
    await #expect(processExitsWith: .success) {
      let log = Log()
      let behavior = BehaviorSubject<ReleaseAction?>(value: nil)
      behavior.onNext(ReleaseAction { log.add("behavior \(behavior.hasObservers)") })
      #expect(log.lines == [])
      behavior.onNext(nil)
      #expect(log.lines == ["behavior false"])
      let replay = ReplaySubject<ReleaseAction>.create(bufferSize: 2)
      replay.onNext(ReleaseAction { log.add("replay \(replay.hasObservers)") })
      #expect(log.lines == ["behavior false"])
      replay.dispose()
      #expect(log.lines == ["behavior false", "replay false"])
    }
  }
}

/// Runs a closure when it is released; an element, an error, or captured by an observer.
private final class ReleaseAction: Error, @unchecked Sendable {
  // Sendable: the closure is constant, and runs once.
  private let whenReleased: () -> Void

  init(whenReleased: @escaping () -> Void) {
    self.whenReleased = whenReleased
  }

  deinit { whenReleased() }

  func use() {}
}

import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

private let rounds = manyRounds

@Suite("Stack depth of many synchronous rounds", .timeLimit(.minutes(5)))
struct StackDepthTests {
  private static var attempts: Observable<Int> {
    StackDepthCase.failing(rounds) { number, isLast in
      (isLast ? Observable.empty() : .error(TestError.one)).startWith(number)
    }
  }

  private static let cases = [
    StackDepthCase("range") { .range(start: 0, count: rounds) },
    StackDepthCase("repeatElement") {
      Observable.repeatElement(0).take(rounds).enumerated().map(\.index)
    },
    StackDepthCase("flatMap") {
      Observable.range(start: 0, count: rounds).flatMap { Observable.just($0) }
    },
    StackDepthCase("flatMapLatest") {
      Observable.range(start: 0, count: rounds).flatMapLatest { Observable.just($0) }
    },
    StackDepthCase("flatMapFirst") {
      Observable.range(start: 0, count: rounds).flatMapFirst { Observable.just($0) }
    },
    StackDepthCase("concatMap") {
      Observable.range(start: 0, count: rounds).concatMap { Observable.just($0) }
    },
    StackDepthCase("concatMap of ranges") {
      Observable.range(start: 0, count: rounds).concatMap { Observable.of($0) }
    },
    StackDepthCase("concat") {
      .concat(AnySequence((0..<rounds).lazy.map { Observable.just($0) }))
    },
    StackDepthCase("merge of queued sequences") {
      Observable.from((0..<rounds).lazy.map { Observable.of($0) }).merge()
    },
    StackDepthCase("catch(sequence:)") {
      Observable.catch(
        sequence: (0..<rounds).lazy.map { Observable.error(TestError.one).startWith($0) }
      )
      .catch { _ in .empty() }
    },
    StackDepthCase("retry") {
      attempts.retry()
    },
    StackDepthCase("retry(when:)") {
      attempts.retry { (errors: Observable<any Error>) in errors }
    },
  ]

  @Test("the stack does not grow in an operator", arguments: cases)
  private func keepsStack(_ depthCase: StackDepthCase) { depthCase.expectAllElements(rounds) }

  @Test("the stack does not grow in a subject that receives events from inside its own delivery")
  func subject() { StackDepthCase.expectReentrantDelivery(rounds) }

  @Test("the stack does not grow on the scheduler of the current thread")
  func scheduler() {
    var count = 0
    onSmallStack {
      let subscription = CurrentThreadScheduler.instance.scheduleRecursive(1) { round, recurse in
        count = round
        if round < rounds { recurse(round + 1) }
      }
      subscription.dispose()
    }
    #expect(count == rounds)
  }
}

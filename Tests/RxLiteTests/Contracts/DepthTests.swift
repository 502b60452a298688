import RxLite
import RxLiteTesting
import Testing

/// The number of successive synchronous rounds, each of which must leave the stack as it found it.
#if DEBUG
  private let rounds = 50_000
#else
  private let rounds = 1_000_000
#endif

@Suite("many synchronous rounds do not grow the stack", .timeLimit(.minutes(5)))
struct DepthTests {
  private static var attempts: Observable<Int> {
    LongChain.failing(rounds) { number, isLast in
      (isLast ? Observable.empty() : .error(TestError.one)).startWith(number)
    }
  }

  private static let chains = [
    LongChain("range") { .range(start: 0, count: rounds) },
    LongChain("repeatElement") {
      Observable.repeatElement(0).take(rounds).enumerated().map(\.index)
    },
    LongChain("flatMap") {
      Observable.range(start: 0, count: rounds).flatMap { Observable.just($0) }
    },
    LongChain("flatMapLatest") {
      Observable.range(start: 0, count: rounds).flatMapLatest { Observable.just($0) }
    },
    LongChain("flatMapFirst") {
      Observable.range(start: 0, count: rounds).flatMapFirst { Observable.just($0) }
    },
    LongChain("concatMap") {
      Observable.range(start: 0, count: rounds).concatMap { Observable.just($0) }
    },
    LongChain("concatMap of ranges") {
      Observable.range(start: 0, count: rounds).concatMap { Observable.of($0) }
    },
    LongChain("concat") {
      .concat(AnySequence((0..<rounds).lazy.map { Observable.just($0) }))
    },
    LongChain("merge of queued sequences") {
      Observable.from((0..<rounds).lazy.map { Observable.of($0) }).merge()
    },
    LongChain("catch(sequence:)") {
      Observable.catch(
        sequence: (0..<rounds).lazy.map { Observable.error(TestError.one).startWith($0) }
      )
      .catch { _ in .empty() }
    },
    LongChain("retry") {
      attempts.retry()
    },
    LongChain("retry(when:)") {
      attempts.retry { (errors: Observable<any Error>) in errors }
    },
  ]

  @Test("in an operator", arguments: chains)
  private func keepsStack(_ chain: LongChain) { chain.expect(rounds) }

  @Test("in a subject that is sent to from inside its own delivery")
  func subject() { LongChain.expectReentrance(rounds) }

  @Test("on the scheduler of the current thread")
  func scheduler() {
    var count = 0
    let subscription = CurrentThreadScheduler.instance.scheduleRecursive(1) { round, recurse in
      count = round
      if round < rounds { recurse(round + 1) }
    }
    subscription.dispose()
    #expect(count == rounds)
  }
}

import RxLite
import RxLiteTesting
import Testing

/// Synchronous rounds in a row; each must leave the stack as it found it.
#if DEBUG
  private let rounds = 50_000
#else
  private let rounds = 1_000_000
#endif

@Suite("a million synchronous rounds do not grow the stack", .timeLimit(.minutes(5)))
struct DepthTests {
  private struct Chain: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable () -> Observable<Int>
  }

  private static let chains = [
    Chain(testDescription: "range") { .range(start: 0, count: rounds) },
    Chain(testDescription: "repeatElement") {
      Observable.repeatElement(0).take(rounds).enumerated().map(\.index)
    },
    Chain(testDescription: "flatMap") {
      Observable.range(start: 0, count: rounds).flatMap { Observable.just($0) }
    },
    Chain(testDescription: "flatMapLatest") {
      Observable.range(start: 0, count: rounds).flatMapLatest { Observable.just($0) }
    },
    Chain(testDescription: "flatMapFirst") {
      Observable.range(start: 0, count: rounds).flatMapFirst { Observable.just($0) }
    },
    Chain(testDescription: "concatMap") {
      Observable.range(start: 0, count: rounds).concatMap { Observable.just($0) }
    },
    Chain(testDescription: "concatMap of ranges") {
      Observable.range(start: 0, count: rounds).concatMap { Observable.of($0) }
    },
    Chain(testDescription: "concat") {
      .concat(AnySequence((0..<rounds).lazy.map { Observable.just($0) }))
    },
    Chain(testDescription: "merge of queued sequences") {
      Observable.from((0..<rounds).lazy.map { Observable.of($0) }).merge()
    },
    Chain(testDescription: "catch(sequence:)") {
      Observable.catch(
        sequence: (0..<rounds).lazy.map { Observable.error(TestError.one).startWith($0) }
      )
      .catch { _ in .empty() }
    },
    Chain(testDescription: "retry") {
      var attempt = -1
      return Observable.deferred {
        attempt += 1
        let last = attempt == rounds - 1
        return (last ? Observable.empty() : .error(TestError.one)).startWith(attempt)
      }.retry()
    },
    Chain(testDescription: "retry(when:)") {
      var attempt = -1
      return Observable.deferred {
        attempt += 1
        let last = attempt == rounds - 1
        return (last ? Observable.empty() : .error(TestError.one)).startWith(attempt)
      }.retry { (errors: Observable<any Error>) in errors }
    },
  ]

  @Test("of an operator", arguments: chains)
  private func keepsStack(_ chain: Chain) {
    var (count, last, ended) = (0, -1, false)
    _ = chain.make().subscribe(
      onNext: { element in
        count += 1
        last = element
      }, onCompleted: { ended = true })
    #expect(count == rounds)
    #expect(last == rounds - 1)
    #expect(ended)
  }

  @Test("of a subject that is sent to from inside its own delivery")
  func subject() {
    let subject = PublishSubject<Int>()
    var last = 0
    let subscription = subject.subscribe(onNext: { element in
      last = element
      if element < rounds { subject.onNext(element + 1) }
    })
    subject.onNext(1)
    subscription.dispose()
    #expect(last == rounds)
  }

  @Test("of the current thread's scheduler")
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

import RxLite
@testable import RxLiteTestSupport
import Testing

private let levels = manyRounds

/// Sequences whose last part is the sequence itself.
@Suite("Recursion in the last part of a chain", .timeLimit(.minutes(5)))
struct TailRecursionTests {
  private struct Recursion: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (Int) -> Observable<Int>
  }

  private static func lazily(_ level: Int) -> Observable<Int> {
    .concat([0, 1].lazy.map { $0 == 0 ? .just(level) : level < levels ? lazily(level + 1) : .empty() })
  }

  private static func deferred(_ level: Int) -> Observable<Int> {
    Observable.just(level).concat(
      Observable.deferred { level < levels ? deferred(level + 1) : .empty() })
  }

  private static func steps(_ level: Int) -> Observable<Int> {
    Observable.of(level).concat(Observable.deferred { level < levels ? steps(level + 1) : .empty() })
  }

  private static func failing(_ level: Int) -> Observable<Int> {
    .catch(sequence: [
      Observable.error(TestError.one).startWith(level),
      .deferred { level < levels ? failing(level + 1) : .empty() },
    ])
  }

  private static func prefixed(_ level: Int) -> Observable<Int> {
    .deferred { level < levels ? prefixed(level + 1).startWith(level) : .just(level) }
  }

  private static func prefixedPart(_ level: Int) -> Observable<Int> {
    .concat([
      .empty(), .deferred { level < levels ? prefixedPart(level + 1).startWith(level) : .just(level) },
    ])
  }

  private static let recursions = [
    Recursion(testDescription: "startWith of a deferred sequence", make: prefixed),
    Recursion(testDescription: "startWith in a concat", make: prefixedPart),
    Recursion(testDescription: "concat of a lazy collection", make: lazily),
    Recursion(testDescription: "concat with a deferred sequence", make: deferred),
    Recursion(testDescription: "concat of steps of the current thread's scheduler", make: steps),
    Recursion(testDescription: "catch(sequence:)", make: failing),
  ]

  @Test("recursion needs neither stack nor memory, for every kind of chain", arguments: recursions)
  private func bounded(_ recursion: Recursion) {
    var (sum, ended) = (0, false)
    onSmallStack {
      _ = recursion.make(1).subscribe(onNext: { sum += $0 }, onCompleted: { ended = true })
    }
    #expect(sum == levels * (levels + 1) / 2)
    #expect(ended)
  }

  #if DEBUG || TRACE_RESOURCES
    // Runs in a separate process, because the number is global.
    @Test("maxTailRecursiveSinkStackSize is the largest number of nested lists that were kept")
    func measured() async {
      await #expect(processExitsWith: .success) {
        func nested(_ level: Int, asSequence: Bool) -> Observable<Int> {
          let parts = [0, 1].lazy.map {
            $0 == 0 ? .just(level) : level < 1_000 ? nested(level + 1, asSequence: asSequence) : .empty()
          }
          return asSequence ? .concat(AnySequence(parts)) : .concat(parts)
        }
        for (asSequence, expected) in [(false, 1), (true, 1_000)] {
          maxTailRecursiveSinkStackSize = 0
          var count = 0
          _ = nested(1, asSequence: asSequence).subscribe(onNext: { _ in count += 1 })
          precondition(count == 1_000)
          precondition(maxTailRecursiveSinkStackSize == expected)
        }
      }
    }
  #endif

  @Test("nested chains are followed and released", arguments: [false, true])
  func nested(isFirst: Bool) {
    let liveCount = TrackedObject.LiveCount()
    var (sum, alive) = (0, 0)
    onSmallStack {
      var chain = Observable<Int>.empty()
      for level in 1...levels {
        let tracked = TrackedObject(level, in: liveCount)
        let element = Observable.deferred { .just(tracked.value) }
        chain = .concat(isFirst ? [chain, element] : [element, chain])
      }
      _ = chain.subscribe(onNext: { sum += $0 })
      alive = liveCount.value
    }
    #expect(sum == levels * (levels + 1) / 2)
    #expect(alive == levels)
    #expect(liveCount.value == 0)
  }

  @Test("nested startWith sequences are followed and released")
  func prefixes() {
    let liveCount = TrackedObject.LiveCount()
    var (sum, alive) = (0, 0)
    onSmallStack {
      let tracked = TrackedObject(in: liveCount)
      var sequence = Observable.deferred { .just(tracked.value) }
      for level in 1...levels { sequence = sequence.startWith(level) }
      _ = sequence.subscribe(onNext: { sum += $0 })
      alive = liveCount.value
    }
    #expect(sum == levels * (levels + 1) / 2)
    #expect(alive == 1)
    #expect(liveCount.value == 0)
  }

  @Test("disposal in the middle ends the recursion")
  func disposed() {
    var last = 0
    _ = Self.deferred(1).take(while: { $0 < 100 }).subscribe(onNext: { last = $0 })
    #expect(last == 99)
  }
}

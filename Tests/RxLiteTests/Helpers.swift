import Dispatch
import ReactiveNetworkLock
import RxLite
import RxLiteTesting
import Testing

#if canImport(Glibc)
  import Glibc
#endif

enum TestError: Error { case one, two }

extension TestScheduler {
  func hot(_ events: Recorded<Event<Int>>...) -> TestableObservable<Int> {
    createHotObservable(events)
  }

  func cold(_ events: Recorded<Event<Int>>...) -> TestableObservable<Int> {
    createColdObservable(events)
  }
}

/// Lines written from any thread, in order.
final class Log: Sendable {
  private let storage = Lock<[String]>([])

  var lines: [String] { storage.withLock { $0 } }

  func add(_ line: String) {
    storage.withLock { $0.append(line) }
  }
}

/// Counts live instances, to detect leaks.
final class Tracked: Sendable {
  final class LiveCount: Sendable {
    fileprivate let living = Lock(0)
    var value: Int { living.withLock { $0 } }
  }

  private let liveCount: LiveCount
  let value: Int

  init(_ value: Int = 0, in liveCount: LiveCount) {
    self.liveCount = liveCount
    self.value = value
    liveCount.living.withLock { $0 += 1 }
  }

  deinit {
    liveCount.living.withLock { $0 -= 1 }
  }
}

/// Records the events that an observer is called with and counts the calls that begin inside another call.
final class Probe<Element>: ObserverType, @unchecked Sendable {
  // Sendable: the state is behind a lock, elements are only copied, and the closure is constant.
  private struct State {
    var events: [Event<Element>] = []
    var calls = 0
    var overlaps = 0
  }

  private let state = Lock(State())
  private let whileInside: (_ index: Int) -> Void

  /// Creates a probe.
  ///
  /// - Parameter whileInside: runs inside each call, so that a second thread has time to enter; `index`
  ///   counts the events.
  init(whileInside: @escaping (_ index: Int) -> Void = giveWay(index:)) {
    self.whileInside = whileInside
  }

  var events: [Event<Element>] { state.withLock { $0.events } }
  var elements: [Element] { events.compactMap(\.element) }
  var overlaps: Int { state.withLock { $0.overlaps } }

  func on(_ event: Event<Element>) {
    let index = state.withLock { state in
      if state.calls > 0 { state.overlaps += 1 }
      state.calls += 1
      state.events.append(event)
      return state.events.count - 1
    }
    whileInside(index)
    state.withLock { $0.calls -= 1 }
  }
}

/// Yields to other threads during the first events and then only occasionally: on a busy machine a yield can
/// take milliseconds.
func giveWay(index: Int) {
  if index < 64 || index.isMultiple(of: 256) { sched_yield() }
}

/// Runs `body` on several threads, which start together as far as possible, and waits for them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  for index in 0..<count {
    let queue = DispatchQueue(label: "test thread \(index)")
    queue.async(group: group) { body(index) }
  }
  group.wait()
}

/// An operator in a use that changes nothing, for tests of the contract of all operators.
struct Identity: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Calls `check` with each element in the closure that the operator takes.
  let apply: @Sendable (_ source: Observable<Int>, _ check: @escaping (Int) throws -> Void) -> Observable<Int>

  init(
    _ name: String,
    _ apply:
      @escaping @Sendable (
        _ source: Observable<Int>, _ check: @escaping (Int) throws -> Void
      ) -> Observable<Int>
  ) {
    testDescription = name
    self.apply = apply
  }

  func callAsFunction(_ source: some ObservableType<Int>) -> Observable<Int> {
    apply(source.asObservable()) { _ in }
  }

  static let all = withClosure + withoutClosure + sharingAndSwitching

  static let withClosure =
    groupingWithClosure + [
      Identity("map") { source, check in
        source.map {
          try check($0); return $0
        }
      },
      Identity("filter") { source, check in
        source.filter {
          try check($0); return true
        }
      },
      Identity("compactMap") { source, check in
        source.compactMap {
          try check($0); return $0
        }
      },
      Identity("flatMap") { source, check in
        source.flatMap {
          try check($0); return Observable.just($0)
        }
      },
      Identity("flatMapLatest") { source, check in
        source.flatMapLatest {
          try check($0); return Observable.just($0)
        }
      },
      Identity("flatMapFirst") { source, check in
        source.flatMapFirst {
          try check($0); return Observable.just($0)
        }
      },
      Identity("concatMap") { source, check in
        source.concatMap {
          try check($0); return Observable.just($0)
        }
      },
      Identity("take(while:)") { source, check in
        source.take(while: {
          try check($0); return true
        })
      },
      Identity("take(until: predicate)") { source, check in
        source.take(until: {
          try check($0); return false
        })
      },
      Identity("distinctUntilChanged") { source, check in
        var calls = 0
        return source.distinctUntilChanged { element in
          try check(element)
          calls += 1
          return calls
        }
      },
      Identity("scan") { source, check in
        source.scan(0) {
          try check($1); return $1
        }
      },
      Identity("scan(into:)") { source, check in
        source.scan(into: 0) {
          try check($1); $0 = $1
        }
      },
      Identity("do(onNext:)") { source, check in source.do(onNext: check) },
      Identity("combineLatest") { source, check in
        Observable.combineLatest(source, Observable.just(0)) { first, _ in
          try check(first); return first
        }
      },
      Identity("withLatestFrom") { source, check in
        source.withLatestFrom(Observable.just(0)) { first, _ in
          try check(first); return first
        }
      },
      Identity("zip") { source, check in
        Observable.zip(source, Observable.from(0..<10_000)) { first, _ in
          try check(first); return first
        }
      },
    ]

  static let withoutClosure = [
    Identity("take") { source, _ in source.take(.max) },
    Identity("take(until:)") { source, _ in source.take(until: Observable<Int>.never()) },
    Identity("skip") { source, _ in source.skip(0) },
    Identity("skip(while:)") { source, _ in source.skip(while: { _ in false }) },
    Identity("startWith") { source, _ in source.startWith() },
    Identity("merge") { source, _ in Observable<Int>.merge(source, .empty()) },
    Identity("concat") { source, _ in source.concat(Observable<Int>.empty()) },
    Identity("concat behind another") { source, _ in Observable<Int>.empty().concat(source) },
    Identity("switchLatest") { source, _ in Observable.of(source).switchLatest() },
    Identity("catch") { source, _ in source.catch { throw $0 } },
    Identity("retry") { source, _ in source.retry(1) },
    Identity("retry(when:)") { source, _ in
      source.retry { (errors: Observable<any Error>) in errors.flatMap { Observable<Int>.error($0) } }
    },
    Identity("share") { source, _ in source.share() },
    Identity("share(replay:)") { source, _ in source.share(replay: 1) },
    Identity("deferred") { source, _ in .deferred { source } },
    Identity("create") { source, _ in .create { source.subscribe($0) } },
  ]
}

import Dispatch
import RxLite
@testable import RxLiteTestSupport
import Testing

/// An operator with several sources, for tests in which several threads feed them.
struct MultiSourceOperator: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Whether the operator might not end even after all sources have ended.
  let mayNotEnd: Bool
  /// Combines three sources.
  let combine: @Sendable (_ sources: [Observable<Int>]) -> Observable<Int>

  init(
    _ name: String, mayNotEnd: Bool = false,
    _ combine: @escaping @Sendable (_ sources: [Observable<Int>]) -> Observable<Int>
  ) {
    testDescription = name
    self.mayNotEnd = mayNotEnd
    self.combine = combine
  }

  static let all = combining + flattening + continuing + sampling + sharing + traits

  private static let combining = [
    MultiSourceOperator("combineLatest") { Observable.combineLatest($0[0], $0[1], $0[2]) { $0 + $1 + $2 } },
    MultiSourceOperator("combineLatest of a list") { Observable.combineLatest($0) { $0.reduce(0, +) } },
    MultiSourceOperator("zip") { Observable.zip($0[0], $0[1], $0[2]) { $0 + $1 + $2 } },
    MultiSourceOperator("zip of a list") { Observable.zip($0) { $0.reduce(0, +) } },
    MultiSourceOperator("withLatestFrom") { $0[0].withLatestFrom($0[1]) { $0 + $1 }.withLatestFrom($0[2]) },
    MultiSourceOperator("amb") { .amb($0) },
  ]

  private static let flattening = [
    MultiSourceOperator("merge") { .merge($0) },
    MultiSourceOperator("merge of a sequence") { Observable.from($0).merge() },
    MultiSourceOperator("merge(maxConcurrent:)") { Observable.from($0).merge(maxConcurrent: 2) },
    MultiSourceOperator("flatMap") { sources in sources[0].flatMap { sources[1 + abs($0) % 2].take(3) } },
    MultiSourceOperator("flatMapFirst") { sources in
      sources[0].flatMapFirst { sources[1 + abs($0) % 2].take(3) }
    },
    MultiSourceOperator("flatMapLatest") { sources in sources[0].flatMapLatest { sources[1 + abs($0) % 2] } },
    MultiSourceOperator("switchLatest") { sources in
      sources[0].map { sources[1 + abs($0) % 2] }.switchLatest()
    },
    MultiSourceOperator("concatMap") { sources in sources[0].concatMap { sources[1 + abs($0) % 2].take(3) } },
    MultiSourceOperator("groupBy") { sources in
      Observable.merge(sources).groupBy { $0 % 3 }.flatMap { $0.asObservable() }
    },
    MultiSourceOperator("window") { sources in
      Observable.merge(sources)
        .window(timeSpan: .seconds(1_000), count: 3, scheduler: SerialDispatchQueueScheduler(qos: .default))
        .merge()
    },
  ]

  private static let continuing = [
    MultiSourceOperator("concat") { .concat($0[0].take(5), $0[1].take(5), $0[2]) },
    MultiSourceOperator("catch") { sources in sources[0].catch { _ in sources[1] }.catch { _ in sources[2] }
    },
    MultiSourceOperator("catch(sequence:)") { .catch(sequence: $0) },
    MultiSourceOperator("ifEmpty(switchTo:)") { $0[0].filter { _ in false }.ifEmpty(switchTo: $0[1]) },
    MultiSourceOperator("retry") { sources in
      sources[0].map { if $0 % 3 == 0 { throw TestError.one } else { $0 } }.retry(20)
    },
    MultiSourceOperator("retry(when:)", mayNotEnd: true) { sources in
      sources[0].map { if $0 % 3 == 0 { throw TestError.one } else { $0 } }
        .retry { (errors: Observable<TestError>) in
          errors.flatMapLatest { _ in Observable.merge(sources[1], sources[2]).take(2) }
        }
    },
  ]

  private static let sampling = [
    MultiSourceOperator("sample", mayNotEnd: true) {
      $0[0].sample($0[1]).take(until: $0[2].filter { $0 % 40 == 39 })
    },
    MultiSourceOperator("skip(until:)", mayNotEnd: true) { .merge($0[0].skip(until: $0[1]), $0[2]) },
    MultiSourceOperator("take(until:)") { sources in
      .merge(sources[0], sources[1]).take(until: sources[2].skip(20))
    },
    MultiSourceOperator("timeout with another") { sources in
      sources[0].timeout(
        .seconds(1_000), other: sources[1], scheduler: SerialDispatchQueueScheduler(qos: .default))
    },
  ]

  private static let sharing = [
    MultiSourceOperator("share") { sources in
      let shared = Observable.merge(sources).share()
      return .merge(shared, shared.map { -$0 })
    },
    MultiSourceOperator("share(replay:)") { sources in
      let shared = Observable.merge(sources).share(replay: 1)
      return .merge(shared, shared.map { -$0 })
    },
    MultiSourceOperator("share(replay:scope:)") { sources in
      let shared = Observable.merge(sources).share(replay: 2, scope: .forever)
      return .merge(shared, shared.map { -$0 })
    },
    MultiSourceOperator("multicast with a selector") { sources in
      Observable.merge(sources).multicast({ PublishSubject<Int>() }) { .merge($0, $0.map { -$0 }) }
    },
  ]

  private static let traits = [
    MultiSourceOperator("Infallible.merge and combineLatest") { sources in
      let infallibles = sources.map { $0.asInfallible(onErrorJustReturn: -1) }
      return Infallible.combineLatest(infallibles[0], Infallible.merge(infallibles[1], infallibles[2])) {
        $0 + $1
      }
      .asObservable()
    },
    MultiSourceOperator("Single.zip") { sources in
      Single.zip(sources.map { $0.take(1).asSingle() }) { $0.reduce(0, +) }.asObservable()
    },
    MultiSourceOperator("Completable.zip and andThen") { sources in
      Completable.zip(sources.prefix(2).map { $0.take(5).ignoreElements().asCompletable() }).andThen(
        sources[2])
    },
  ]
}

import RxLite

extension IdentityOperator {
  static let withoutClosure = [
    IdentityOperator("take") { source, _ in source.take(.max) },
    IdentityOperator("take(until:)") { source, _ in source.take(until: Observable<Int>.never()) },
    IdentityOperator("skip") { source, _ in source.skip(0) },
    IdentityOperator("skip(while:)") { source, _ in source.skip(while: { _ in false }) },
    IdentityOperator("startWith") { source, _ in source.startWith() },
    IdentityOperator("merge") { source, _ in Observable<Int>.merge(source, .empty()) },
    IdentityOperator("concat") { source, _ in source.concat(Observable<Int>.empty()) },
    IdentityOperator("concat after another") { source, _ in Observable<Int>.empty().concat(source) },
    IdentityOperator("switchLatest") { source, _ in Observable.of(source).switchLatest() },
    IdentityOperator("catch") { source, _ in source.catch { throw $0 } },
    IdentityOperator("retry") { source, _ in source.retry(1) },
    IdentityOperator("retry(when:)") { source, _ in
      source.retry { (errors: Observable<any Error>) in errors.flatMap { Observable<Int>.error($0) } }
    },
    IdentityOperator("share") { source, _ in source.share() },
    IdentityOperator("share(replay:)") { source, _ in source.share(replay: 1) },
    IdentityOperator("deferred") { source, _ in .deferred { source } },
    IdentityOperator("create") { source, _ in .create { source.subscribe($0) } },
  ]

  static let sharingAndSwitching = [
    IdentityOperator("materialize and dematerialize") { source, _ in source.materialize().dematerialize() },
    IdentityOperator("enumerated") { source, _ in source.enumerated().map(\.element) },
    IdentityOperator("ifEmpty(switchTo:)") { source, _ in source.ifEmpty(switchTo: .empty()) },
    IdentityOperator("ifEmpty(switchTo:) as the other") { source, _ in
      Observable<Int>.empty().ifEmpty(switchTo: source)
    },
    IdentityOperator("amb") { source, _ in source.amb(Observable<Int>.never()) },
    IdentityOperator("amb as the second") { source, _ in Observable<Int>.never().amb(source) },
    IdentityOperator("publish and refCount") { source, _ in source.publish().refCount() },
    IdentityOperator("multicast with a selector") { source, _ in
      source.multicast {
        PublishSubject<Int>()
      } selector: {
        $0
      }
    },
    IdentityOperator("using") { source, _ in
      .using {
        BooleanDisposable()
      } observableFactory: { _ in
        source
      }
    },
    IdentityOperator("unwrap") { source, _ in source.map(Optional.some).unwrap() },
    IdentityOperator("pausable") { source, _ in source.pausable(Observable.just(true)) },
    IdentityOperator("partition") { source, _ in source.partition { _ in true }.matches },
    IdentityOperator("pairwise") { source, _ in source.startWith(0).pairwise().map { $1 } },
    IdentityOperator("retry with a policy") { source, _ in source.retry(.immediate(maxCount: 1)) },
    IdentityOperator("withUnretained") { source, _ in source.withUnretained(IdentityOperator.witness) { $1 }
    },
  ]

  private static let witness = BooleanDisposable()
}

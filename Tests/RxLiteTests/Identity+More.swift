import RxLite

extension Identity {
  static let groupingWithClosure = [
    Identity("groupBy") { source, check in
      source.groupBy {
        try check($0); return 0
      }.flatMap { $0 }
    }
  ]

  static let sharingAndSwitching = [
    Identity("materialize and dematerialize") { source, _ in source.materialize().dematerialize() },
    Identity("enumerated") { source, _ in source.enumerated().map(\.element) },
    Identity("ifEmpty(switchTo:)") { source, _ in source.ifEmpty(switchTo: .empty()) },
    Identity("ifEmpty(switchTo:) as the other") { source, _ in
      Observable<Int>.empty().ifEmpty(switchTo: source)
    },
    Identity("amb") { source, _ in source.amb(Observable<Int>.never()) },
    Identity("amb as the second") { source, _ in Observable<Int>.never().amb(source) },
    Identity("publish and refCount") { source, _ in source.publish().refCount() },
    Identity("multicast with a selector") { source, _ in
      source.multicast {
        PublishSubject<Int>()
      } selector: {
        $0
      }
    },
    Identity("using") { source, _ in
      .using {
        BooleanDisposable()
      } observableFactory: { _ in
        source
      }
    },
    Identity("unwrap") { source, _ in source.map(Optional.some).unwrap() },
    Identity("pausable") { source, _ in source.pausable(Observable.just(true)) },
    Identity("partition") { source, _ in source.partition { _ in true }.matches },
    Identity("pairwise") { source, _ in source.startWith(0).pairwise().map { $1 } },
    Identity("retry with a policy") { source, _ in source.retry(.immediate(maxCount: 1)) },
    Identity("withUnretained") { source, _ in source.withUnretained(Identity.witness) { $1 } },
  ]

  private static let witness = BooleanDisposable()
}

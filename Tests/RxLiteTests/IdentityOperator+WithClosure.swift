import RxLite

extension IdentityOperator {
  static let withClosure =
    groupingWithClosure + [
      IdentityOperator("map") { source, check in
        source.map {
          try check($0); return $0
        }
      },
      IdentityOperator("filter") { source, check in
        source.filter {
          try check($0); return true
        }
      },
      IdentityOperator("compactMap") { source, check in
        source.compactMap {
          try check($0); return $0
        }
      },
      IdentityOperator("flatMap") { source, check in
        source.flatMap {
          try check($0); return Observable.just($0)
        }
      },
      IdentityOperator("flatMapLatest") { source, check in
        source.flatMapLatest {
          try check($0); return Observable.just($0)
        }
      },
      IdentityOperator("flatMapFirst") { source, check in
        source.flatMapFirst {
          try check($0); return Observable.just($0)
        }
      },
      IdentityOperator("concatMap") { source, check in
        source.concatMap {
          try check($0); return Observable.just($0)
        }
      },
      IdentityOperator("take(while:)") { source, check in
        source.take(while: {
          try check($0); return true
        })
      },
      IdentityOperator("take(until: predicate)") { source, check in
        source.take(until: {
          try check($0); return false
        })
      },
      IdentityOperator("distinctUntilChanged") { source, check in
        var calls = 0
        return source.distinctUntilChanged { element in
          try check(element)
          calls += 1
          return calls
        }
      },
      IdentityOperator("scan") { source, check in
        source.scan(0) {
          try check($1); return $1
        }
      },
      IdentityOperator("scan(into:)") { source, check in
        source.scan(into: 0) {
          try check($1); $0 = $1
        }
      },
      IdentityOperator("do(onNext:)") { source, check in source.do(onNext: check) },
      IdentityOperator("combineLatest") { source, check in
        Observable.combineLatest(source, Observable.just(0)) { first, _ in
          try check(first); return first
        }
      },
      IdentityOperator("withLatestFrom") { source, check in
        source.withLatestFrom(Observable.just(0)) { first, _ in
          try check(first); return first
        }
      },
      IdentityOperator("zip") { source, check in
        Observable.zip(source, Observable.from(0..<10_000)) { first, _ in
          try check(first); return first
        }
      },
    ]

  private static let groupingWithClosure = [
    IdentityOperator("groupBy") { source, check in
      source.groupBy {
        try check($0); return 0
      }.flatMap { $0 }
    }
  ]
}

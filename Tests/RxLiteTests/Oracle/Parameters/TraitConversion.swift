import RxLite

/// How a sequence becomes a `Single`, by its number in the vectors.
enum SingleConversion: Int {
  case takeOne, asSingle, first

  func callAsFunction(_ source: Observable<Int>) -> Single<Int> {
    switch self {
    case .takeOne: source.take(1).asSingle()
    case .asSingle: source.asSingle()
    case .first: source.first().map { $0 ?? -1 }
    }
  }
}

/// How a sequence becomes a `Maybe`, by its number in the vectors.
enum MaybeConversion: Int {
  case takeOne, asMaybe

  func callAsFunction(_ source: Observable<Int>) -> Maybe<Int> {
    switch self {
    case .takeOne: source.take(1).asMaybe()
    case .asMaybe: source.asMaybe()
    }
  }
}

extension Observable<Int> {
  var completable: Completable { ignoreElements().asCompletable() }
}

extension Completable {
  /// The end of a completable sequence, as a sequence of the type that all operators of a pipeline have.
  var end: Observable<Int> { asObservable().ended }
}

extension Observable<Never> {
  /// The end of a sequence without elements, as a sequence of the type that all operators of a pipeline have.
  var ended: Observable<Int> { map(\.element) }
}

extension Never {
  fileprivate var element: Int { switch self {} }
}

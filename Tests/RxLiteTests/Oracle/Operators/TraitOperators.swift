import RxLite

extension OperatorCall {
  static let traits: [String: Operator] = [
    "asSingle": { $0.source.asSingle().asObservable() },
    "asMaybe": { $0.source.asMaybe().asObservable() },
    "asCompl": { $0.source.completable.end },
    "single1": singleOperator,
    "single2": singleCombination,
    "maybe1": maybeOperator,
    "maybe2": maybeCombination,
    "compl1": completableOperator,
    "compl2": completableCombination,
    "infallible": infallibleOperator,
  ]
}

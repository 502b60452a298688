import RxLite
import Testing

/// An operator in a use that changes nothing, for tests of the contract of all operators.
struct IdentityOperator: Sendable, CustomTestStringConvertible {
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
}

import RxLite

/// An endless synchronous source, which completes after 10,000 elements, so that a test fails and does not
/// hang if nothing disposes it.
final class EndlessSource {
  private(set) var sent = 0

  func asObservable() -> Observable<Int> {
    .generate(initialState: 0, condition: { $0 < 10_000 }, iterate: { $0 + 1 })
      .do(onNext: { _ in self.sent += 1 })
  }
}

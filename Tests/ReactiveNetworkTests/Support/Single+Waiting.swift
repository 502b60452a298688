import NetworkCore
import RxLite

extension PrimitiveSequence where Trait == SingleTrait, Element: Sendable {
  /// Subscribes and waits for the end.
  func result() async -> Result<Element, any Error> {
    await withCheckedContinuation { done in
      _ = subscribe { done.resume(returning: $0) }
    }
  }
}

extension Result where Failure == any Error {
  /// The error, which must be a `NetworkError`.
  var networkError: NetworkError? {
    guard case .failure(let error) = self else { return nil }
    return error as? NetworkError
  }
}

import Dispatch
import RxLite

extension OperatorCall {
  static let errors: [String: Operator] = [
    "catch": { call in
      call.source.catch { _ in
        if call[0] == 1 { throw PipelineError(code: 91) }
        return call.other
      }
    },
    "catchR": { $0.source.catchAndReturn($0[0]) },
    "catchSeq": { .catch(sequence: $0.sources) },
    "retry": { $0.source.retry($0[0]) },
    "retryWhen": retryWhen,
  ]

  private enum Notifier: Int {
    case someErrors, flatMapOther, backoff, other, flatMapLatestOther, delayedErrors
  }

  /// The second number limits the attempts, unless the second source alone decides about them.
  private static func retryWhen(_ call: OperatorCall) throws -> Observable<Int> {
    let (kind, count) = (try call.parameter(0, Notifier.self), call[1])
    let (other, scheduler) = (call.other, call.scheduler)
    return call.source.retry { (errors: Observable<any Error>) -> Observable<Int> in
      switch kind {
      case .someErrors: return errors.take(count).map { _ in 0 }
      case .flatMapOther: return errors.take(count).flatMap { _ in other }
      case .backoff:
        return errors.enumerated().flatMap { index, error -> Observable<Int> in
          index < count ? .timer(.seconds(10 * index), scheduler: scheduler) : .error(error)
        }
      case .other: return other
      case .flatMapLatestOther: return errors.take(count).flatMapLatest { _ in other }
      case .delayedErrors: return errors.take(count).delay(.seconds(20), scheduler: scheduler).map { _ in 0 }
      }
    }
  }
}

import Dispatch
import Locking

extension NetworkProvider {
  /// Makes a request and blocks the calling thread until it has ended.
  ///
  /// It may be called on any queue, the provider's `callbackQueue` included, and in a callback without a queue: the answer takes no
  /// queue to arrive, and another thread of the transport brings it. In a callback with `callbackQueue: .transport`, whose
  /// thread could not bring the answer meanwhile, it returns `WaitingError.wouldDeadlock` without sending anything, as in a callback
  /// of a transport of your own; if 256 callbacks of a transport block, `WaitingError.tooManyWait`. A `requestClosure`, plugin or
  /// interceptor that needs the blocked queue must not be waited for.
  ///
  /// - Parameter target: what to ask for.
  /// - Returns: the answer or the error.
  @available(*, noasync, message: "It blocks the thread; use response(for:).")
  public func requestAndWait(_ target: Target) -> Result<Response, NetworkError> {
    do throws(WaitingError) { try TransportThread.prepareToWait() } catch {
      return .failure(.underlying(error, nil))
    }
    let end = DispatchSemaphore(value: 0)
    let result = Lock<Result<Response, NetworkError>>(.failure(.cancelled))
    request(target, callbackQueue: TransportThread.queue, progress: nil) { answer in
      result.withLock { $0 = answer }
      end.signal()
    }
    end.wait()
    return result.withLock { $0 }
  }
}

import Dispatch
import ReactiveNetworkLock

extension NetworkProvider {
  /// Sends a request and blocks the calling thread until the request has ended.
  ///
  /// You may call it on any queue, including the provider's `callbackQueue`, and in a callback without a
  /// queue, because the response does not arrive through a queue: another thread of the transport delivers
  /// it. In a callback with `callbackQueue: .transport`, the blocked thread would have to deliver the
  /// response, so this method sends nothing and returns `WaitingError.wouldDeadlock`. It does the same in a
  /// callback of a custom transport. If 256 callbacks of a transport already block their threads, it sends
  /// nothing and returns `WaitingError.tooManyWait`. Do not wait for a request whose `requestClosure`, plugin
  /// or interceptor needs the blocked queue.
  ///
  /// - Parameter target: the target.
  /// - Returns: the response or the error; a `WaitingError` is wrapped in `NetworkError.underlying`.
  @available(*, noasync, message: "It blocks the thread; use response(for:).")
  public func requestAndWait(_ target: Target) -> Result<Response, NetworkError> {
    let result = Lock<Result<Response, NetworkError>>(.failure(.cancelled))
    do throws(WaitingError) {
      try TransportThread.wait {
        let end = DispatchSemaphore(value: 0)
        request(target, callbackQueue: TransportThread.queue, progress: nil) { received in
          result.withLock { $0 = received }
          end.signal()
        }
        end.wait()
      }
    } catch {
      return .failure(.underlying(error, nil))
    }
    return result.withLock { $0 }
  }
}

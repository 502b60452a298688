import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Delivers the body of a response to a destination other than memory, such as a file or a stream.
protocol BodyDelivery: Sendable {
  /// Whether the request can be sent again without the caller noticing.
  var isRepeatable: Bool { get }

  /// Prepares the request of an attempt, before the plugins receive `willSend`.
  ///
  /// Calls `then` on this thread or on another one.
  func prepare(
    _ request: URLRequest, isStub: Bool, then: @escaping @Sendable (Result<URLRequest, NetworkError>) -> Void)

  /// Returns the receiver of the response of an attempt.
  func receiver(of attempt: Attempt) -> BodyReceiver

  /// Undoes `prepare`, because no transfer follows; called before the attempt ends.
  func withdraw()

  /// Releases the resources of a cancelled request.
  ///
  /// Calls `then` when the end may be delivered, on this thread or on another one.
  func abandon(then: @escaping @Sendable () -> Void)
}

extension BodyDelivery {
  func prepare(
    _ request: URLRequest, isStub: Bool, then: @escaping @Sendable (Result<URLRequest, NetworkError>) -> Void
  ) {
    then(.success(request))
  }

  func withdraw() {}

  func abandon(then: @escaping @Sendable () -> Void) { then() }
}

/// One attempt to send a request.
struct Attempt: Sendable {
  let call: RequestCall
  /// The number of the reply that ends the attempt; see `RequestState`.
  let turn: Int
  let request: URLRequest
  let isStub: Bool

  var isWaiting: Bool { call.isWaiting(for: turn) }

  func finish(_ result: Result<Response, NetworkError>) { call.finishAttempt(result, turn: turn) }
}

/// The decision about a response, based on its head.
enum HeadDecision {
  /// The body is delivered.
  case accept
  /// The body is kept in memory, and the closure turns the whole response into the result of the request.
  case reject(@Sendable (Response) -> Result<Response, NetworkError>)
}

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

  /// Completes the request for the transport, after the plugins have received `willSend`.
  func complete(_ outgoing: inout TransportRequest, for transport: any Transport) throws(NetworkError)

  /// Returns the receiver of the response of an attempt.
  func receiver(of attempt: RequestAttempt) -> BodyReceiver

  /// Plays the script of a stubbed WebSocket; returns `nil` if this is no WebSocket.
  func play(
    _ script: WebSocketScript, to receiver: BodyReceiver, of attempt: RequestAttempt,
    _ scheduler: any DelayScheduler
  ) -> (any Cancellable)?

  /// Undoes `prepare`, because no transfer follows; called before the attempt ends.
  func undoPreparation()

  /// Releases the resources of a cancelled request.
  ///
  /// Calls `then` when the end may be delivered, on this thread or on another one.
  func releaseResources(then: @escaping @Sendable () -> Void)
}

extension BodyDelivery {
  func prepare(
    _ request: URLRequest, isStub: Bool, then: @escaping @Sendable (Result<URLRequest, NetworkError>) -> Void
  ) {
    then(.success(request))
  }

  func complete(_ outgoing: inout TransportRequest, for transport: any Transport) throws(NetworkError) {}

  func play(
    _ script: WebSocketScript, to receiver: BodyReceiver, of attempt: RequestAttempt,
    _ scheduler: any DelayScheduler
  ) -> (any Cancellable)? { nil }

  func undoPreparation() {}

  func releaseResources(then: @escaping @Sendable () -> Void) { then() }
}

/// The decision about a response, based on its head.
enum HeadDecision {
  /// Turns a response, whose body may have been cut off at the limit, into the result of the request.
  typealias Rejection = @Sendable (_ response: Response, _ isCut: Bool) -> Result<Response, NetworkError>

  /// The body is delivered.
  case accept
  /// The body is kept in memory, and the closure gets the whole response.
  case reject(Rejection)
}

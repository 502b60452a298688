import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where the body of a request's answer goes instead of into memory.
protocol BodyDelivery: Sendable {
  /// Whether a further attempt could still be made without anybody noticing.
  var isRepeatable: Bool { get }

  /// Gives the request of an attempt, before the plugins see it sent; `then` is called on this thread or on another one.
  func prepare(
    _ request: URLRequest, isStub: Bool, then: @escaping @Sendable (Result<URLRequest, NetworkError>) -> Void)

  /// What takes the answer of an attempt.
  func reception(of attempt: Attempt) -> BodyReception

  /// No transfer follows what `prepare` has done; called before the attempt ends.
  func withdraw()

  /// The request was cancelled; `then` is called when its end may be delivered, on this thread or on another one.
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

/// One sending of a request.
struct Attempt: Sendable {
  let call: RequestCall
  /// The number of the answer that ends it.
  let turn: Int
  let request: URLRequest
  let isStub: Bool

  var isWaiting: Bool { call.isWaiting(for: turn) }

  func settle(_ result: Result<Response, NetworkError>) { call.settle(result, turn: turn) }
}

/// What becomes of an answer, by its head.
enum Verdict {
  /// Its body goes where it should.
  case wanted
  /// Its body is kept in memory, and the request ends with what becomes of the whole answer.
  case unwanted(@Sendable (Response) -> Result<Response, NetworkError>)
}

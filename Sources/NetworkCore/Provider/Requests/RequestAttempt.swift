import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One attempt to send a request.
struct RequestAttempt: TransferRecipient {
  let call: RequestCall
  /// The number of the reply that ends the attempt; see `RequestState`.
  let replyNumber: Int
  let request: URLRequest
  let isStub: Bool
  var wantsProgress = false

  var observation: RequestObservation? { call.observation }

  var isWaiting: Bool { call.isWaiting(forReply: replyNumber) }

  func report(_ progress: ProgressResponse) { call.report(progress, replyNumber: replyNumber) }

  func finish(_ result: Result<Response, NetworkError>) {
    call.finishAttempt(result, replyNumber: replyNumber)
  }
}

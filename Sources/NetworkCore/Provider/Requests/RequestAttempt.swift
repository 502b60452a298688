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

  func report(_ progress: ProgressResponse) { report(progress, on: nil) }

  func finish(_ result: Result<Response, NetworkError>) { finish(result, on: nil) }

  /// Reports progress, which is delivered on the scheduler unless the call has a queue; `nil` for this
  /// thread.
  func report(_ progress: ProgressResponse, on scheduler: (any DelayScheduler)?) {
    call.report(progress, replyNumber: replyNumber, on: scheduler)
  }

  /// Ends the attempt; its events are delivered like progress.
  func finish(_ result: Result<Response, NetworkError>, on scheduler: (any DelayScheduler)?) {
    call.finishAttempt(result, replyNumber: replyNumber, on: scheduler)
  }
}

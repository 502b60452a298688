import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Gets the progress and the result of a transfer or a stub: one attempt, or several that share it.
protocol TransferRecipient: Sendable {
  /// The request that is sent.
  var request: URLRequest { get }
  /// Receives the events of the transfer; `nil` if nothing observes it.
  var observation: RequestObservation? { get }
  var wantsProgress: Bool { get }

  func report(_ progress: ProgressResponse)
  func finish(_ result: Result<Response, NetworkError>)
}

extension TransferRecipient {
  /// Ends like a transfer that receives the whole body in one piece.
  func finish(stubbed result: Result<Response, NetworkError>, within limit: Int?) {
    if case .success(let response) = result, !response.data.isEmpty {
      if let limit, response.data.count > limit {
        let head = Response(copying: response, data: Data(), metrics: nil)
        return finish(.failure(.underlying(TransferError.responseTooLarge(limit: limit), head)))
      }
      let count = Int64(response.data.count)
      report(ProgressResponse(completed: count, total: count))
    }
    finish(result)
  }
}

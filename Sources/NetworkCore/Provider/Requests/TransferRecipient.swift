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
  /// Ends like a transfer that sends the whole request body, or receives the whole response body, in one
  /// piece.
  func finish(stubbed result: Result<Response, NetworkError>, within limit: Int?, mayBeRetried: Bool) {
    if case .success(let response) = result {
      if let limit, response.data.count > limit {
        let head = Response(copying: response, data: Data(), metrics: nil)
        return finish(.failure(.underlying(TransferError.responseTooLarge(limit: limit), head)))
      }
      if wantsProgress, let count = progressCount(of: response, mayBeRetried: mayBeRetried) {
        report(ProgressResponse(completed: count, total: count))
      }
    }
    finish(result)
  }

  /// The number of bytes that the progress of a stub reports; `nil` to report none.
  private func progressCount(of response: Response, mayBeRetried: Bool) -> Int64? {
    if request.isUpload { return request.uploadLength }
    // The bytes of a response with an error status may be followed by those of another attempt.
    let mayCount = response.statusCode < 400 || !mayBeRetried
    return mayCount && !response.data.isEmpty ? Int64(response.data.count) : nil
  }
}

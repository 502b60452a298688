import NetworkCore

/// The completions of a request, which a test can wait for.
final class CompletionStream: Sendable {
  private let stream: AsyncStream<Result<Response, NetworkError>>
  private let continuation: AsyncStream<Result<Response, NetworkError>>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  var completion: Completion {
    { [continuation] result in
      continuation.yield(result)
    }
  }

  /// Suspends until the next completion.
  func next() async -> Result<Response, NetworkError> {
    for await result in stream { return result }
    return .failure(.cancelled)
  }
}

import Foundation
import LoopbackServer
import NetworkCore

/// A target on a test's server.
struct WireTarget: TargetType {
  let baseURL: URL
  let path: String
  var method = HTTPMethod.get
  var task = HTTPTask.requestPlain
  var headers: [String: String]?
  var validationType = ValidationType.none
  var acceptableContentTypes: [String]?

  init(_ baseURL: URL, _ path: String = "/") {
    self.baseURL = baseURL
    self.path = path
  }

  init(_ server: LoopbackServer, _ path: String = "/") {
    self.init(server.baseURL, path)
  }

  func with(_ change: (inout WireTarget) -> Void) -> WireTarget {
    var copy = self
    change(&copy)
    return copy
  }
}

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

extension NetworkProvider where Target == WireTarget {
  /// Performs a request and returns its result.
  func result(_ target: WireTarget) async -> Result<Response, NetworkError> {
    await withCheckedContinuation { done in
      request(target) { done.resume(returning: $0) }
    }
  }
}

import ReactiveNetworkLock
import NetworkCore

/// Counts completions and keeps their results.
final class CompletionRecorder: Sendable {
  private let results = Lock([Result<Response, NetworkError>]())

  var completion: Completion {
    { result in self.results.withLock { $0.append(result) } }
  }

  var all: [Result<Response, NetworkError>] { results.withLock { $0 } }
  var count: Int { all.count }
  var summaries: [String] { all.map(\.summary) }

  var response: Response? {
    guard case .success(let response)? = all.last else { return nil }
    return response
  }

  var error: NetworkError? {
    guard case .failure(let error)? = all.last else { return nil }
    return error
  }
}

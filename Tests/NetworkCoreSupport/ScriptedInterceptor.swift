import Foundation
import NetworkCore
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An interceptor that logs its calls and takes its decisions from a list.
final class ScriptedInterceptor: RequestInterceptor {
  private let name: String
  private let log: Log
  private let decisions: Lock<[RetryResult]>

  init(_ name: String = "I", _ log: Log, _ decisions: [RetryResult] = []) {
    self.name = name
    self.log = log
    self.decisions = Lock(decisions)
  }

  func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    log("\(name) adapt")
    var request = urlRequest
    request.setValue((request.value(forHTTPHeaderField: "Seen") ?? "") + name, forHTTPHeaderField: "Seen")
    completion(.success(request))
  }

  func retry(
    _ request: Request, for session: Session, dueTo error: any Error,
    completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    log("\(name) retry \(request.retryCount) \(request.receivedResponse.map { "\($0.statusCode)" } ?? "-")")
    completion(decisions.withLock { $0.isEmpty ? .doNotRetry : $0.removeFirst() })
  }
}

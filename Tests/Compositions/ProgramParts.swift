import Foundation
import NetworkCore
import ReactiveNetwork
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request of a program.
struct ProgramTarget: TargetType, AccessTokenAuthorizable {
  let baseURL: URL
  let path: String
  let number: Int
  var method = HTTPMethod.get
  var isAuthorized = true

  var headers: [String: String]? { ["X-Program": "\(number)"] }
  var authorizationType: AuthorizationType? { isAuthorized ? .bearer : nil }
}

/// Counts requests as an activity indicator does.
struct CountingPlugin: PluginType {
  let record: ProgramRecord

  func willSend(_ request: any RequestType, target: any TargetType) {
    record.state.withLock { $0.running += 1 }
  }

  func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
    record.state.withLock { $0.running -= 1 }
  }
}

/// Checks that each observed request ends once, and that nothing follows the end.
final class EndingPlugin: RequestObserver {
  let record: ProgramRecord
  private let ended = Lock(Set<RequestID>())

  init(_ record: ProgramRecord) { self.record = record }

  func didObserve(_ event: RequestEvent) {
    let isLate = ended.withLock { ended in
      if case .ended = event.kind { return !ended.insert(event.id).inserted }
      return ended.contains(event.id)
    }
    if isLate { record.note("an event follows the end of a request") }
    record.state.withLock { state in
      switch event.kind {
      case .queued: state.observed.insert(Int(event.id.number))
      case .ended: state.observed.remove(Int(event.id.number))
      default: break
      }
    }
  }
}

/// Adds the token in front of the plugins.
struct TokenInterceptor: RequestInterceptor {
  let record: ProgramRecord

  func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    completion(.success(urlRequest.with(record.token)))
  }
}

/// Adds the token in a task.
struct AsyncTokenInterceptor: AsyncRequestInterceptor {
  let record: ProgramRecord

  func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest {
    await Task.yield()
    return urlRequest.with(record.token)
  }
}

extension URLRequest {
  fileprivate func with(_ token: String) -> URLRequest {
    var request = self
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    return request
  }
}

/// The layer of an application, which adds the token to requests for its own origin.
struct TokenLayer: TransportLayer {
  let wrapped: any Transport
  let record: ProgramRecord
  /// `nil` for a layer that adds nothing.
  let origin: String?

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    guard let origin, request.url.hasPrefix(origin + "/") else {
      return wrapped.start(request, handler: handler)
    }
    var request = request
    request.headers.update(name: "Authorization", value: "Bearer \(record.token)")
    return wrapped.start(request, handler: handler)
  }
}

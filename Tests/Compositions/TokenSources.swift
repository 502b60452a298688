import Foundation
import NetworkCore
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
  /// Whether the task waits until it is cancelled.
  let isStalled: Bool

  func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest {
    record.state.withLock { $0.adapting += 1 }
    defer { record.state.withLock { $0.adapting -= 1 } }
    if isStalled { try await Task.sleep(for: .seconds(3_600)) } else { await Task.yield() }
    return urlRequest.with(record.token)
  }
}

extension URLRequest {
  fileprivate func with(_ token: String) -> URLRequest {
    guard value(forHTTPHeaderField: ProgramTarget.anonymous) == nil else { return self }
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

  func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    origin == nil ? wrapped.addedCredentials(to: request) : .unknown
  }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    guard let origin, request.url.hasPrefix(origin + "/"), request.headers[ProgramTarget.anonymous] == nil
    else { return wrapped.start(request, handler: handler) }
    var request = request
    request.headers.update(name: "Authorization", value: "Bearer \(record.token)")
    return wrapped.start(request, handler: handler)
  }
}

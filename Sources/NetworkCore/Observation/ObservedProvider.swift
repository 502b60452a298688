public import Dispatch
public import class Foundation.JSONDecoder
public import struct Foundation.URL

/// The requests of a provider, with an observer of their own.
///
/// ```swift
/// let observed = provider.observed { print($0) }
/// observed.request(.repos("ash")) { print($0) }
/// for try await chunk in observed.stream(.log) { print(chunk.count) }
/// ```
///
/// The observer receives the events of the calls that are made through this object, those of all attempts, and of
/// no other requests of the provider. The calls otherwise behave like those of the provider, except that a
/// subclass's `request(_:callbackQueue:progress:completion:)` is not called.
public final class ObservedProvider<Target: TargetType>: StreamingProviderType {
  private let provider: NetworkProvider<Target>
  private let observer: @Sendable (RequestEvent) -> Void

  fileprivate init(
    _ provider: NetworkProvider<Target>, _ observer: @escaping @Sendable (RequestEvent) -> Void
  ) {
    (self.provider, self.observer) = (provider, observer)
  }

  /// Makes the endpoint of a target as the provider does.
  public func endpoint(_ target: Target) -> Endpoint { provider.endpoint(target) }

  /// Starts a request; see `NetworkProvider.request(_:callbackQueue:progress:completion:)`.
  @preconcurrency @discardableResult public func request(
    _ target: Target, callbackQueue: DispatchQueue? = nil, progress: ProgressBlock? = nil,
    completion: @escaping Completion
  ) -> any Cancellable {
    provider.start(target, callbackQueue, observer: observer, progress: progress, completion: completion)
  }

  /// Sends a request; see `NetworkProvider.response(for:)`.
  public func response(for target: Target) async throws(NetworkError) -> Response {
    try await provider.unlessCancelled(.failure(.cancelled)) {
      request(target, completion: $0)
    }.get()
  }

  /// Sends a request and decodes its response; see `NetworkProvider.value(for:as:using:)`.
  public func value<D: Decodable>(
    for target: Target, as type: D.Type = D.self, using decoder: JSONDecoder = .standard
  ) async throws(NetworkError) -> D {
    let decoded: Result<D, NetworkError>
    do throws(NetworkError) {
      decoded = .success(try await response(for: target).value(type, using: decoder))
    } catch {
      decoded = .failure(error)
    }
    report(decoded: decoded, target: target)
    return try decoded.get()
  }

  /// Starts a request whose response is read while it arrives; see `NetworkProvider.stream(_:headers:)`.
  ///
  /// `ended` is reported when the response has arrived, even if the reader has chunks left to read.
  public func stream(_ target: Target, headers: HTTPHeaders = [:]) -> ResponseStream {
    provider.stream(target, headers, observer: observer)
  }

  /// Starts a request whose response is delivered while it arrives; see
  /// `NetworkProvider.stream(_:headers:callbackQueue:receive:)`.
  ///
  /// `ended` is reported when the response has arrived, which may be before the receiver gets the last chunks.
  @preconcurrency @discardableResult public func stream(
    _ target: Target, headers: HTTPHeaders = [:], callbackQueue: DispatchQueue? = nil,
    receive: @escaping @Sendable (ResponseStreamEvent) -> Void
  ) -> any Cancellable {
    provider.stream(target, headers, callbackQueue, observer: observer, receive: receive)
  }

  /// Starts a download that can be resumed; see
  /// `NetworkProvider.download(_:to:options:callbackQueue:progress:completion:)`.
  @preconcurrency @discardableResult public func download(
    _ target: Target, to destination: URL, options: DownloadOptions = [], callbackQueue: DispatchQueue? = nil,
    progress: ProgressBlock? = nil, completion: @escaping Completion
  ) -> any Cancellable {
    provider.download(
      target, FilePlacement(destination: destination, options: options), callbackQueue, observer: observer,
      progress: progress, completion: completion)
  }

  /// Observes all requests of the provider that start after this call.
  @preconcurrency public func observeRequests(
    _ observer: @escaping @Sendable (RequestEvent) -> Void
  ) -> any Cancellable {
    provider.observeRequests(observer)
  }
}

extension ObservedProvider: DecodedResultReporting {
  package func report<Value, Failure: Error>(decoded result: Result<Value, Failure>, target: any TargetType) {
    provider.report(decoded: result, target: target)
  }
}

extension NetworkProvider {
  /// Returns the provider with an observer of the calls that are made through the returned object.
  ///
  /// - Parameter observer: receives the events of each request, as described for `RequestObserver`.
  /// - Returns: an object that retains the provider and sends its requests.
  @preconcurrency public final func observed(
    by observer: @escaping @Sendable (RequestEvent) -> Void
  ) -> ObservedProvider<Target> {
    ObservedProvider(self, observer)
  }
}

public import Dispatch

extension NetworkProvider where Target: APITargetType {
  /// The error of a failed call, with the target's type of client errors.
  public typealias TypedError = APIError<Target.ClientErrorType>

  /// Starts a request and decodes its response.
  ///
  /// A status of 2xx is a success, and every other status is a typed error, whatever the target's
  /// `validationType`.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - type: the type of a decoded body; `Data` for the bytes unchanged.
  ///   - callbackQueue: the queue on which the body is decoded and the completion runs; `nil` for the
  ///     provider's queue.
  ///   - completion: called with the value or the error, exactly once.
  /// - Returns: a token that cancels the request; you may drop it.
  @discardableResult public func performRequest<Body: Decodable & Sendable>(
    on target: Target, decodeBodyTo type: Body.Type, callbackQueue: DispatchQueue? = nil,
    completion: @escaping @Sendable (Result<Body, TypedError>) -> Void
  ) -> any Cancellable {
    request(target, callbackQueue: callbackQueue) { result in
      let decoded = Self.decoded(result, as: type, of: target)
      self.notifyPlugins(decoded, from: result, target)
      completion(decoded)
    }
  }

  /// Starts a request and ignores the body of its response.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - callbackQueue: the queue on which the completion runs; `nil` for the provider's queue.
  ///   - completion: called with the success or the error, exactly once.
  /// - Returns: a token that cancels the request; you may drop it.
  @discardableResult public func performRequest(
    on target: Target, callbackQueue: DispatchQueue? = nil,
    completion: @escaping @Sendable (Result<EmptyBodyResponse, TypedError>) -> Void
  ) -> any Cancellable {
    performRequest(
      on: target, decodeBodyTo: EmptyBodyResponse.self, callbackQueue: callbackQueue, completion: completion)
  }

  /// Sends a request and decodes its response.
  ///
  /// Cancelling the task cancels the request, which then ends at once as cancelled. A task that is
  /// already cancelled sends nothing.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - type: the type of a decoded body.
  /// - Returns: the value or the error.
  public func response<Body: Decodable & Sendable>(
    on target: Target, decodeBodyTo type: Body.Type
  ) async -> Result<Body, TypedError> {
    let result: Result<Body, TypedError>? = await unlessCancelled(nil) { completion in
      performRequest(on: target, decodeBodyTo: type) { completion($0) }
    }
    if let result { return result }
    let cancelled = Result<Response, NetworkError>.failure(.cancelled)
    let decoded = Self.decoded(cancelled, as: type, of: target)
    notifyPlugins(decoded, from: cancelled, target)
    return decoded
  }

  /// Sends a request and ignores the body of its response.
  ///
  /// - Parameter target: the target.
  /// - Returns: the success or the error.
  public func response(on target: Target) async -> Result<EmptyBodyResponse, TypedError> {
    await response(on: target, decodeBodyTo: EmptyBodyResponse.self)
  }

  /// Sends a request, blocks the calling thread until the request has ended, and decodes the response.
  ///
  /// The restrictions of `requestAndWait(_:)` apply.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - type: the type of a decoded body.
  /// - Returns: the value or the error.
  @available(*, noasync, message: "It blocks the thread; use response(on:decodeBodyTo:).")
  public func performRequestAndWait<Body: Decodable & Sendable>(
    on target: Target, decodeBodyTo type: Body.Type
  ) -> Result<Body, TypedError> {
    let result = requestAndWait(target)
    let decoded = Self.decoded(result, as: type, of: target)
    notifyPlugins(decoded, from: result, target)
    return decoded
  }

  /// Sends a request, ignores the body of its response, and blocks the calling thread until the request has
  /// ended.
  ///
  /// - Parameter target: the target.
  /// - Returns: the success or the error.
  @available(*, noasync, message: "It blocks the thread; use response(on:).")
  public func performRequestAndWait(on target: Target) -> Result<EmptyBodyResponse, TypedError> {
    performRequestAndWait(on: target, decodeBodyTo: EmptyBodyResponse.self)
  }

  /// Notifies the plugins of the decoded value that the caller gets, and of the response.
  private func notifyPlugins<Body: Decodable>(
    _ decoded: Result<Body, TypedError>, from received: Result<Response, NetworkError>, _ target: Target
  ) {
    pipeline.decoded(decoded, target: target)
    for case let plugin as any TypedResultPlugin in plugins {
      plugin.didDecode(decoded, from: received, target: target)
    }
  }

  private static func decoded<Body: Decodable>(
    _ result: Result<Response, NetworkError>, as type: Body.Type, of target: Target
  ) -> Result<Body, TypedError> {
    let response: Response
    switch result {
    case .success(let received): response = received
    case .failure(.statusCode(let received)): response = received
    case .failure(let error): return .failure(.noResponseReceived(error: error))
    }
    return Result { () throws(TypedError) in
      try response.decode(type, orClientError: Target.ClientErrorType.self, using: target.decoder)
    }
  }
}

/// A plugin that gets the decoded results of typed calls together with the responses.
package protocol TypedResultPlugin: PluginType {
  /// Called with the result that the caller gets, and with the response or the error that it was decoded
  /// from.
  func didDecode<Body: Decodable, Target: APITargetType>(
    _ result: Result<Body, APIError<Target.ClientErrorType>>, from received: Result<Response, NetworkError>,
    target: Target)
}

public import Dispatch

extension NetworkProvider where Target: APITargetType {
  /// Why a call has failed, with the target's own type of client errors.
  public typealias TypedError = APIError<Target.ClientErrorType>

  /// Starts a request and decodes its answer.
  ///
  /// A status of 2xx is a success, whatever the target's `validationType`, whose refusals come typed as well.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - type: what the body of a success decodes to; `Data` for the bytes as they are.
  ///   - callbackQueue: where the completion runs and the body is decoded; `nil` for the provider's queue.
  ///   - completion: gets the value or the error, exactly once.
  /// - Returns: a token to cancel the request with; it may be dropped.
  @discardableResult public func performRequest<Body: Decodable & Sendable>(
    on target: Target, decodeBodyTo type: Body.Type, callbackQueue: DispatchQueue? = nil,
    completion: @escaping @Sendable (Result<Body, TypedError>) -> Void
  ) -> any Cancellable {
    request(target, callbackQueue: callbackQueue) { result in
      let decoded = Self.decoded(result, as: type, of: target)
      self.tell(decoded, from: result, target)
      completion(decoded)
    }
  }

  /// Starts a request whose answer's body nobody wants.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - callbackQueue: where the completion runs; `nil` for the provider's queue.
  ///   - completion: gets the success or the error, exactly once.
  /// - Returns: a token to cancel the request with; it may be dropped.
  @discardableResult public func performRequest(
    on target: Target, callbackQueue: DispatchQueue? = nil,
    completion: @escaping @Sendable (Result<EmptyBodyResponse, TypedError>) -> Void
  ) -> any Cancellable {
    performRequest(
      on: target, decodeBodyTo: EmptyBodyResponse.self, callbackQueue: callbackQueue, completion: completion)
  }

  /// Makes a request and decodes its answer.
  ///
  /// Cancelling the task cancels the request, which then ends at once as cancelled.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - type: what the body of a success decodes to.
  /// - Returns: the value or the error.
  public func response<Body: Decodable & Sendable>(
    on target: Target, decodeBodyTo type: Body.Type
  ) async -> Result<Body, TypedError> {
    let pending = PendingToken()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        pending.hold(performRequest(on: target, decodeBodyTo: type) { continuation.resume(returning: $0) })
      }
    } onCancel: {
      pending.cancel()
    }
  }

  /// Makes a request whose answer's body nobody wants.
  ///
  /// - Parameter target: what to ask for.
  /// - Returns: the success or the error.
  public func response(on target: Target) async -> Result<EmptyBodyResponse, TypedError> {
    await response(on: target, decodeBodyTo: EmptyBodyResponse.self)
  }

  /// Makes a request, decodes its answer, and blocks the calling thread until then; see `requestAndWait(_:)`.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - type: what the body of a success decodes to.
  /// - Returns: the value or the error.
  @available(*, noasync, message: "It blocks the thread; use response(on:decodeBodyTo:).")
  public func performRequestAndWait<Body: Decodable & Sendable>(
    on target: Target, decodeBodyTo type: Body.Type
  ) -> Result<Body, TypedError> {
    let result = requestAndWait(target)
    let decoded = Self.decoded(result, as: type, of: target)
    tell(decoded, from: result, target)
    return decoded
  }

  /// Makes a request whose answer's body nobody wants, and blocks the calling thread until it has ended.
  ///
  /// - Parameter target: what to ask for.
  /// - Returns: the success or the error.
  @available(*, noasync, message: "It blocks the thread; use response(on:).")
  public func performRequestAndWait(on target: Target) -> Result<EmptyBodyResponse, TypedError> {
    performRequestAndWait(on: target, decodeBodyTo: EmptyBodyResponse.self)
  }

  /// Tells the plugins what the caller gets, and what it was made of.
  private func tell<Body: Decodable>(
    _ decoded: Result<Body, TypedError>, from answer: Result<Response, NetworkError>, _ target: Target
  ) {
    pipeline.decoded(decoded, target: target)
    for case let plugin as Microya.Plugin<Target> in plugins {
      plugin.didPerformRequest(urlSessionResult: answer.parts, typedResult: decoded, endpoint: target)
    }
  }

  private static func decoded<Body: Decodable>(
    _ result: Result<Response, NetworkError>, as type: Body.Type, of target: Target
  ) -> Result<Body, TypedError> {
    let response: Response
    switch result {
    case .success(let answer): response = answer
    case .failure(.statusCode(let answer)): response = answer
    case .failure(let error): return .failure(.noResponseReceived(error: error))
    }
    return Result { () throws(TypedError) in
      try response.decode(type, orClientError: Target.ClientErrorType.self, using: target.decoder)
    }
  }
}

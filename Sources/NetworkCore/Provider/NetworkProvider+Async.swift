public import Foundation

extension NetworkProvider {
  /// Sends a request.
  ///
  /// Cancelling the task cancels the request, which then fails at once with `NetworkError.cancelled`. A task
  /// that is already cancelled sends nothing.
  ///
  /// - Parameter target: the target.
  /// - Returns: the response; a 404 is a normal response unless the target's validation rejects it.
  /// - Throws: the error of the request.
  public func response(for target: Target) async throws(NetworkError) -> Response {
    try await result(for: target).get()
  }

  /// Sends a request and decodes its response.
  ///
  /// Cancelling the task cancels the request, which then fails at once with `NetworkError.cancelled`. A task
  /// that is already cancelled sends nothing.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - type: the type of the decoded body.
  ///   - decoder: the decoder to use.
  /// - Returns: the value.
  /// - Throws: `NetworkError.statusCode` for a status other than 200 to 299, `.objectMapping` for a body that
  ///   cannot be decoded, or the error of the request.
  public func value<D: Decodable>(
    for target: Target, as type: D.Type = D.self, using decoder: JSONDecoder = .standard
  ) async throws(NetworkError) -> D {
    let decoded = await result(for: target).flatMap { response in
      Result { () throws(NetworkError) in try response.value(type, using: decoder) }
    }
    pipeline.decoded(decoded, target: target)
    return try decoded.get()
  }

  private func result(for target: Target) async -> Result<Response, NetworkError> {
    await unlessCancelled(.failure(.cancelled)) {
      request(target, callbackQueue: nil, progress: nil, completion: $0)
    }
  }

  /// Starts a request and suspends until it has ended; a task that is already cancelled starts none, and gets
  /// `cancelled`.
  func unlessCancelled<Outcome: Sendable>(
    _ cancelled: Outcome, _ start: (@escaping @Sendable (Outcome) -> Void) -> any Cancellable
  ) async -> Outcome {
    guard !_Concurrency.Task.isCancelled else { return cancelled }
    let pending = PendingToken()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        pending.store(start { continuation.resume(returning: $0) })
      }
    } onCancel: {
      pending.cancel()
    }
  }
}

extension Response {
  /// Decodes the body of a response whose status is 200 to 299.
  func value<D: Decodable>(_ type: D.Type, using decoder: JSONDecoder) throws(NetworkError) -> D {
    do {
      return try filterSuccessfulStatusCodes().map(type, using: decoder)
    } catch {
      throw NetworkError(wrapping: error)
    }
  }
}

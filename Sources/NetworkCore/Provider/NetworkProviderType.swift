public import Dispatch

/// Gets what a request ended with.
public typealias Completion = @Sendable (_ result: Result<Response, NetworkError>) -> Void

/// What requests can be made with; the reactive layer builds on this.
public protocol NetworkProviderType: AnyObject, Sendable {
  /// What can be asked for.
  associatedtype Target: TargetType

  /// Starts a request.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - callbackQueue: where the callbacks run; `nil` for the provider's own choice.
  ///   - progress: gets the progress.
  ///   - completion: gets the answer or the error, exactly once.
  /// - Returns: a token to cancel the request with.
  @preconcurrency @discardableResult func request(
    _ target: Target, callbackQueue: DispatchQueue?, progress: ProgressBlock?,
    completion: @escaping Completion
  ) -> any Cancellable
}

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A plugin that inspects or changes requests and responses, for every target of a provider.
///
/// The hooks of one request run in this order: every plugin's `prepare`, each with the request that the
/// previous one returned; every `willSend`; the transfer; every `didReceive`; every `process`, each with the
/// result that the previous one returned; the completion.
///
/// Exactly one `didReceive` follows each `willSend`: on success, on failure, after a cancel and for stubs. A
/// request that cannot be built, or is cancelled before it is sent, has neither, but its failure passes
/// through `process`. A request that an interceptor retries goes through `prepare`, `willSend` and
/// `didReceive` once per attempt.
///
/// `prepare` and `willSend` run on the thread that called `request`, or on the thread on which an
/// asynchronous `requestClosure`, interceptor or plugin completes. `willSend` of a resumable download runs on
/// a background queue, after the file has been opened. `didReceive` and `process` run on the thread or queue
/// of the completion.
@preconcurrency public protocol PluginType: Sendable {
  /// Returns the request to send; by default, the unchanged request.
  ///
  /// - Parameters:
  ///   - request: the request that the endpoint or the previous plugin returned.
  ///   - target: the requested target.
  /// - Returns: the request for the next plugin or the transport.
  func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest

  /// Called when the request is about to be sent.
  ///
  /// - Parameters:
  ///   - request: the request after every `prepare`.
  ///   - target: the requested target.
  func willSend(_ request: any RequestType, target: any TargetType)

  /// Called when the request has ended, before any `process`.
  ///
  /// - Parameters:
  ///   - result: the response or the error.
  ///   - target: the requested target.
  func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType)

  /// Returns the result to complete with; by default, the unchanged result.
  ///
  /// - Parameters:
  ///   - result: the result of the transfer or of the previous plugin.
  ///   - target: the requested target.
  /// - Returns: the result for the next plugin or the completion.
  func process(
    _ result: Result<Response, NetworkError>, target: any TargetType
  ) -> Result<Response, NetworkError>
}

extension PluginType {
  /// Returns the request unchanged.
  public func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest { request }

  /// Does nothing.
  public func willSend(_ request: any RequestType, target: any TargetType) {}

  /// Does nothing.
  public func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {}

  /// Returns the result unchanged.
  public func process(
    _ result: Result<Response, NetworkError>, target: any TargetType
  ) -> Result<Response, NetworkError> { result }
}

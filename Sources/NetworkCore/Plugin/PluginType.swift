#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Something that looks at requests and answers, or changes them, for every target of a provider.
///
/// For one request: every plugin's `prepare` in order, each getting what the one before returned; every `willSend`;
/// the transfer; every `didReceive`; every `process`, each getting what the one before returned; the completion.
/// Each `willSend` is followed by exactly one `didReceive`, on success, on failure, after a cancel and on stubs. A
/// request that cannot be built has neither, but its failure goes through `process`. A request that is cancelled before it is sent has
/// a `didReceive` without a `willSend`, as in Moya; a plugin that counts requests must ignore it.
/// A request that an interceptor sends again goes through `prepare`, `willSend` and `didReceive` once per attempt.
///
/// `prepare` and `willSend` run on the thread that called `request`, or on which an asynchronous `requestClosure`,
/// interceptor or plugin answers; `willSend` of a resumable download runs on a background queue, behind the opening of its file.
/// `didReceive` and `process` run where the completion does.
@preconcurrency public protocol PluginType: Sendable {
  /// Gives the request to send; the one it got unless implemented.
  ///
  /// - Parameters:
  ///   - request: the request as the endpoint or the plugin before made it.
  ///   - target: what is asked for.
  /// - Returns: the request to go on with.
  func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest

  /// Called when the request is about to be sent.
  ///
  /// - Parameters:
  ///   - request: the request after every `prepare`.
  ///   - target: what is asked for.
  func willSend(_ request: any RequestType, target: any TargetType)

  /// Called when the request has ended, before any `process`.
  ///
  /// - Parameters:
  ///   - result: the answer or the error.
  ///   - target: what was asked for.
  func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType)

  /// Gives the result to complete with; the one it got unless implemented.
  ///
  /// - Parameters:
  ///   - result: the result as the transfer or the plugin before made it.
  ///   - target: what was asked for.
  /// - Returns: the result to go on with.
  func process(
    _ result: Result<Response, NetworkError>, target: any TargetType
  ) -> Result<Response, NetworkError>
}

extension PluginType {
  /// The request as it is.
  public func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest { request }

  /// Nothing.
  public func willSend(_ request: any RequestType, target: any TargetType) {}

  /// Nothing.
  public func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {}

  /// The result as it is.
  public func process(
    _ result: Result<Response, NetworkError>, target: any TargetType
  ) -> Result<Response, NetworkError> { result }
}

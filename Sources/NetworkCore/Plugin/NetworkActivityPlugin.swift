/// A change of a request's activity.
public enum NetworkActivityChangeType: Sendable, Hashable {
  /// The request is about to be sent.
  case began
  /// The request has ended.
  case ended
}

/// Reports when requests begin and end.
///
/// Each `.began` is followed by exactly one `.ended`: on success, on failure, after a cancel and for stubs.
/// Each attempt of a retried request begins and ends.
public final class NetworkActivityPlugin: PluginType {
  /// Receives the change and the target.
  public typealias NetworkActivityClosure =
    @Sendable (_ change: NetworkActivityChangeType, _ target: any TargetType) -> Void

  private let networkActivityClosure: NetworkActivityClosure

  /// Creates a plugin.
  ///
  /// - Parameter networkActivityClosure: receives each change, on the thread of `willSend` or `didReceive`.
  @preconcurrency public init(networkActivityClosure: @escaping NetworkActivityClosure) {
    self.networkActivityClosure = networkActivityClosure
  }

  /// Reports that the request begins.
  public func willSend(_ request: any RequestType, target: any TargetType) {
    networkActivityClosure(.began, target)
  }

  /// Reports that the request has ended.
  public func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
    networkActivityClosure(.ended, target)
  }
}

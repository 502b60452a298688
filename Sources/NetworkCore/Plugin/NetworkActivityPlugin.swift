/// What happens to a request's activity.
public enum NetworkActivityChangeType: Sendable, Hashable {
  /// The request is about to be sent.
  case began
  /// The request has ended.
  case ended
}

/// Tells when requests begin and end.
///
/// Each `.began` is followed by exactly one `.ended`, on success, on failure, after a cancel and on stubs; a request that
/// is sent again begins and ends again.
public final class NetworkActivityPlugin: PluginType {
  /// Gets what happened, and the target.
  public typealias NetworkActivityClosure =
    @Sendable (_ change: NetworkActivityChangeType, _ target: any TargetType) -> Void

  private let networkActivityClosure: NetworkActivityClosure

  /// Makes a plugin.
  ///
  /// - Parameter networkActivityClosure: gets what happens, on the thread of `willSend` or `didReceive`.
  @preconcurrency public init(networkActivityClosure: @escaping NetworkActivityClosure) {
    self.networkActivityClosure = networkActivityClosure
  }

  /// Tells of the begin.
  public func willSend(_ request: any RequestType, target: any TargetType) {
    networkActivityClosure(.began, target)
  }

  /// Tells of the end.
  public func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
    networkActivityClosure(.ended, target)
  }
}

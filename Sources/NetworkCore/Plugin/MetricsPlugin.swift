import Foundation

/// Reports the times and byte counts of each request, for a log or a dashboard.
///
/// ```swift
/// let provider = NetworkProvider<GitHub>(plugins: [MetricsPlugin { print($0) }])
/// // GET https://api.github.com/zen: 200; DNS 12.1 ms, connect 31.5 ms, TLS 80.2 ms, first byte 113.0 ms,
/// // total 113.4 ms, 0 B sent, 34 B received
/// ```
///
/// Each attempt of a retried request is reported. A transfer that several callers share (`trackInflights`) is
/// reported for each of them. A request that was never sent is not reported.
public struct MetricsPlugin: PluginType {
  /// The metrics and the result of one attempt of a request.
  public struct Entry: Sendable {
    /// The requested target.
    public let target: any TargetType
    /// The response or the error.
    public let result: Result<Response, NetworkError>

    /// Times and byte counts; `nil` for stubs, if no head arrived, and if the transport does not measure.
    public var metrics: TransferMetrics? {
      switch result {
      case .success(let response): response.metrics
      case .failure(let error): error.response?.metrics
      }
    }
  }

  private let report: @Sendable (Entry) -> Void

  /// Creates a plugin.
  ///
  /// - Parameter report: receives an entry for each attempt, on the thread of `didReceive`.
  @preconcurrency public init(_ report: @escaping @Sendable (Entry) -> Void) {
    self.report = report
  }

  /// Reports the attempt.
  public func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
    report(Entry(target: target, result: result))
  }
}

extension MetricsPlugin.Entry: CustomStringConvertible {
  /// All values in one line; the URL has no user, password, query or fragment, which may hold secrets.
  public var description: String {
    let ending =
      switch result {
      case .success(let response): "\(response.statusCode)"
      case .failure(.statusCode(let response)): "\(response.statusCode)"
      case .failure(let error): error.localizedDescription
      }
    return "\(target.method.rawValue) \(address): \(ending)" + (metrics.map { "; \($0.summary)" } ?? "")
  }

  private var address: String {
    guard var parts = URLComponents(url: URL(target: target), resolvingAgainstBaseURL: true) else {
      return target.path
    }
    (parts.query, parts.user, parts.password, parts.fragment) = (nil, nil, nil, nil)
    return parts.string ?? target.path
  }
}

extension TransferMetrics {
  fileprivate var summary: String {
    let times = [
      ("DNS", nameLookup), ("connect", connect), ("TLS", secureConnect), ("first byte", firstByte),
      ("total", total),
    ]
    let words = times.map { name, time in
      // Without a sign for a time that is rounded to 0.
      "\(name) \((time / .microseconds(100)).rounded(.towardZero) / 10 + 0) ms"
    }
    return (words + ["\(bodyBytesSent) B sent", "\(bodyBytesReceived) B received"]).joined(separator: ", ")
  }
}

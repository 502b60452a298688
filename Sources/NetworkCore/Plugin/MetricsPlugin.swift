import Foundation

/// Tells of what each request took, for a log or a dashboard of one's own.
///
/// ```swift
/// let provider = NetworkProvider<GitHub>(plugins: [MetricsPlugin { print($0) }])
/// // GET https://api.github.com/zen: 200; DNS 12.1 ms, connect 31.5 ms, TLS 80.2 ms, first byte 113.0 ms, total 113.4 ms,
/// // 0 B sent, 34 B received
/// ```
///
/// A request that is sent again is told of once per attempt, one that several callers share once, and one that was never
/// sent not at all.
public struct MetricsPlugin: PluginType {
  /// What one attempt of a request took, and how it ended.
  public struct Entry: Sendable {
    /// What was asked for.
    public let target: any TargetType
    /// The answer or the error.
    public let result: Result<Response, NetworkError>

    /// Times and bytes; `nil` for stubs, where no head came, and with transports that do not tell.
    public var metrics: TransferMetrics? {
      switch result {
      case .success(let response): response.metrics
      case .failure(let error): error.response?.metrics
      }
    }
  }

  private let report: @Sendable (Entry) -> Void

  /// Makes a plugin.
  ///
  /// - Parameter report: gets what an attempt took, where `didReceive` is called.
  @preconcurrency public init(_ report: @escaping @Sendable (Entry) -> Void) {
    self.report = report
  }

  /// Reports.
  public func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
    report(Entry(target: target, result: result))
  }
}

extension MetricsPlugin.Entry: CustomStringConvertible {
  /// All of it in one line; the URL without its query, which may hold secrets.
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
    let words = times.map { name, seconds in "\(name) \(Double(Int(seconds * 10_000)) / 10) ms" }
    return (words + ["\(bodyBytesSent) B sent", "\(bodyBytesReceived) B received"]).joined(separator: ", ")
  }
}

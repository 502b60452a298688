import Foundation
import NetworkCore

// The texts and properties of a request in the waterfall.
extension RequestRecord {
  /// The style in which a request is drawn.
  enum Ending: String {
    case answered
    case failed
    case cancelled
    case open
  }

  var ending: Ending {
    switch outcome {
    case .response: .answered
    case .failure: .failed
    case .cancelled: .cancelled
    case nil: .open
    }
  }

  /// The request that this one repeats.
  var original: RequestID? {
    switch call?.cause {
    case .hedge(let original), .retry(let original): original
    case .call, .shared, nil: nil
    }
  }

  var isHedge: Bool { if case .hedge? = call?.cause { true } else { false } }

  /// The number of retries by interceptors, plus one if the request is itself an operator's retry.
  var retryCount: Int {
    let isRetry = if case .retry? = call?.cause { 1 } else { 0 }
    return repetitions.count { $0.redirectStatus == nil } + isRetry
  }

  var redirectCount: Int { repetitions.count { $0.redirectStatus != nil } }

  /// The host and port of the request before any redirect.
  var host: String {
    let url = call?.url ?? self.url
    guard let origin = Origin(url: url) else { return "(no host)" }
    return origin.text
  }

  /// The method, and the last path component and query of the URL without secrets.
  var title: String {
    let shown = Redactor.standard.redacted(url: attempts > 0 && repetitions.isEmpty ? url : call?.url ?? url)
    let path =
      shown.firstRange(of: "://").map { shown[$0.upperBound...].drop { !"/?#".contains($0) } } ?? shown[...]
    let name = path.prefix { !"?#".contains($0) }
    let last = name.split(separator: "/").last.map(String.init) ?? "/"
    let text = last + path.dropFirst(name.count).prefix { $0 != "#" }
    return "\(method.rawValue) \(text.removingPercentEncoding ?? text)"
  }

  /// The result of the request, and its duration.
  var resultText: String {
    let result =
      switch outcome {
      case .response(let status): "\(status)"
      case .failure(.statusCode(let response)): "\(response.statusCode)"
      case .failure: "failed"
      case .cancelled: "cancelled"
      case nil: "in flight"
      }
    return "\(result) · \((duration / .seconds(1)).time)"
  }

  /// The details of the request, for a tool tip.
  func tooltip(since start: ContinuousClock.Instant) -> String {
    var lines = [
      "\(method.rawValue) \(Redactor.standard.redacted(url: url).fitted(to: 300))",
      "starts at \(((self.start - start) / .seconds(1)).time), \(resultText)",
    ]
    if let connection {
      let versions = [connection.httpVersion?.rawValue, connection.tlsVersion].compactMap { $0 }
      let address = connection.address.map { " to \($0):\(connection.port ?? 0)" } ?? ""
      lines.append(
        ([(connection.isReused ? "over the kept connection" : "over a new connection") + address]
          + versions).joined(separator: ", "))
    }
    if case .failure(let error)? = outcome { lines.append(error.localizedDescription.fitted(to: 300)) }
    lines += spans.suffix(24).map { "\($0.phase.legendName): \(($0.duration / .seconds(1)).time)" }
    return lines.joined(separator: "\n")
  }
}

extension RequestRecord.Phase {
  /// The name of the phase in the legend.
  var legendName: String {
    switch self {
    case .queue: "queued"
    case .nameLookup: "name lookup"
    case .connect: "connect"
    case .secureConnect: "TLS"
    case .send: "send"
    case .wait: "wait"
    case .receive: "receive"
    case .backoff: "wait to retry"
    }
  }
}

extension RequestRecord {
  /// The attributes of the request, with the names of OpenTelemetry's conventions for HTTP client spans.
  ///
  /// Secrets in the URL are masked. Attributes without a value are absent.
  public var attributes: [TelemetryAttribute: TelemetryValue] {
    var found = metricAttributes
    found[.url] = .string(Redactor.standard.redacted(url: url))
    if found[.requestMethod] == .string("_OTHER") { found[.requestMethodOriginal] = .string(method.rawValue) }
    if resendCount > 0 { found[.resendCount] = .int(resendCount) }
    if let metrics {
      found[.requestBodySize] = .int(Int(clamping: metrics.bodyBytesSent))
      found[.responseBodySize] = .int(Int(clamping: metrics.bodyBytesReceived))
    }
    if let address = connection?.address {
      found[.peerAddress] = .string(address)
      found[.peerPort] = connection?.port.map { .int($0) }
    }
    if let version = connection?.tlsVersion {
      found[.tlsVersion] = .string(version.hasPrefix("TLSv") ? String(version.dropFirst(4)) : version)
    }
    return found
  }

  /// The attributes of the metric `http.client.request.duration`, each of which has few different values.
  ///
  /// They include the host, the status and the kind of error, but not the URL.
  public var metricAttributes: [TelemetryAttribute: TelemetryValue] {
    var found: [TelemetryAttribute: TelemetryValue] = [:]
    found[.requestMethod] = .string(Self.knownMethods.contains(method.rawValue) ? method.rawValue : "_OTHER")
    if let origin = Origin(url: url) {
      found[.scheme] = .string(origin.isSecure ? "https" : "http")
      found[.serverAddress] = .string(origin.host)
      found[.serverPort] = Int(origin.port).map { .int($0) }
    }
    found[.statusCode] = outcome?.statusCode.map { .int($0) }
    found[.errorType] = errorType.map { .string($0) }
    if let version = metrics?.httpVersion ?? connection?.httpVersion {
      found[.protocolName] = .string("http")
      found[.protocolVersion] = .string(String(version.rawValue.dropFirst("HTTP/".count)))
    }
    return found
  }

  /// The duration in seconds, for the metric `http.client.request.duration`.
  public var seconds: Double { duration / .seconds(1) }

  /// The kind of error; `nil` for a response with a status below 400, and in flight.
  private var errorType: String? {
    switch outcome {
    case .response(let status): status >= 400 ? "\(status)" : nil
    case .cancelled: "cancelled"
    case .failure(let error):
      if case .statusCode(let response) = error { "\(response.statusCode)" } else { error.kind }
    case nil: nil
    }
  }

  /// The methods of RFC 9110 and PATCH (RFC 5789).
  private static let knownMethods: Set<String> = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
  ]
}

extension NetworkError {
  /// The name of the case or, for a failed transfer, that of the transfer's error.
  ///
  /// It contains no values, so that the attribute has few different ones.
  fileprivate var kind: String {
    guard case .underlying(let error, _) = self else { return text.caseName }
    return (error as? TransferError)?.text.caseName ?? String(reflecting: type(of: error))
  }
}

extension TransportGauges {
  /// The numbers of connections with the attributes of the metric `http.client.open_connections`.
  public var connectionMetrics: [(attributes: [TelemetryAttribute: TelemetryValue], count: Int)] {
    connections.sorted { $0.key < $1.key }.flatMap { url, connections in
      [("active", connections.open - connections.idle), ("idle", connections.idle)].map { state, count in
        var found: [TelemetryAttribute: TelemetryValue] = [.connectionState: .string(state)]
        if let origin = Origin(url: url) {
          found[.serverAddress] = .string(origin.host)
          found[.serverPort] = Int(origin.port).map { .int($0) }
        }
        return (found, count)
      }
    }
  }
}

public import Logging
internal import Metrics
public import NetworkCore
internal import Synchronization
internal import Tracing

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

// The examples of the article "Observability". They are meant to be copied, because the library does not
// depend on these packages.

/// Returns a plugin that logs each request when it has ended.
public func logging(to logger: Logger) -> RequestRecordPlugin {
  RequestRecordPlugin { record in
    var metadata = Logger.Metadata()
    for (name, value) in record.attributes { metadata[name.rawValue] = "\(value)" }
    metadata[TelemetryAttribute.requestDuration.rawValue] = "\(record.seconds)"
    let isError = record.attributes[.errorType] != nil
    logger.log(level: isError ? .warning : .info, "request ended", metadata: metadata)
  }
}

/// Returns a plugin that records the duration of each request.
public func measuring() -> RequestRecordPlugin {
  RequestRecordPlugin { record in
    let dimensions = record.metricAttributes.dimensions
    Metrics.Timer(label: TelemetryAttribute.requestDuration.rawValue, dimensions: dimensions)
      .recordSeconds(record.seconds)
  }
}

/// Records the gauges of a transport; call it at an interval.
public func record(_ gauges: TransportGauges) {
  Gauge(label: TelemetryAttribute.activeRequests.rawValue).record(gauges.requestsInFlight)
  for (attributes, count) in gauges.connectionMetrics {
    Gauge(label: TelemetryAttribute.openConnections.rawValue, dimensions: attributes.dimensions).record(count)
  }
}

extension [TelemetryAttribute: TelemetryValue] {
  /// The attributes as the dimensions of a metric.
  fileprivate var dimensions: [(String, String)] {
    map { ($0.key.rawValue, "\($0.value)") }.sorted { $0.0 < $1.0 }
  }
}

/// A plugin that starts a span for each request, and sends the span's context with it.
public final class TracingPlugin: RequestObserver {
  private let open = Mutex([RequestID: (record: RequestRecord, span: any Span)]())

  /// Creates a plugin.
  public init() {}

  /// Adds the context of the request's span.
  public func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
    var request = request
    if let id = RequestID.current, let span = open.withLock({ $0[id]?.span }) {
      InstrumentationSystem.instrument.inject(span.context, into: &request, using: FieldInjector())
    }
    return request
  }

  /// Begins and ends the span.
  public func didObserve(_ event: RequestEvent) {
    if case .queued(let call) = event.kind {
      let span = startSpan(call.method.rawValue, ofKind: .client)
      open.withLock { $0[event.id] = (RequestRecord(event), span) }
    }
    let ended = open.withLock { open in
      open[event.id]?.record.add(event)
      return open[event.id]?.record.hasEnded == true ? open.removeValue(forKey: event.id) : nil
    }
    guard let (record, span) = ended else { return }
    for (name, value) in record.attributes { span.attributes[name.rawValue] = value.spanAttribute }
    if record.attributes[.errorType] != nil { span.setStatus(.init(code: .error)) }
    span.end()
  }
}

private struct FieldInjector: Injector {
  func inject(_ value: String, forKey key: String, into request: inout URLRequest) {
    request.setValue(value, forHTTPHeaderField: key)
  }
}

extension TelemetryValue {
  fileprivate var spanAttribute: SpanAttribute {
    switch self {
    case .string(let text): .string(text)
    case .int(let number): .int64(Int64(number))
    }
  }
}

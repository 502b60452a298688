internal import ReactiveNetworkLock

/// A plugin that reports a record of each request that has ended, for logs, metrics and traces.
///
/// ```swift
/// let provider = NetworkProvider<GitHub>(
///   plugins: [RequestRecordPlugin { print($0.attributes) }])
/// ```
///
/// The closure is called once for each request, on the thread of its last event, before the completion. The
/// plugin keeps the records of the requests in flight, and no others.
public final class RequestRecordPlugin: RequestObserver {
  private let records = Lock([RequestID: RequestRecord]())
  private let report: @Sendable (RequestRecord) -> Void

  /// Creates a plugin.
  ///
  /// - Parameter report: receives the record of each request that has ended.
  @preconcurrency public init(_ report: @escaping @Sendable (RequestRecord) -> Void) {
    self.report = report
  }

  /// The records of the requests in flight, oldest first.
  public var inFlight: [RequestRecord] { records.withLock { $0.values.sorted { $0.id < $1.id } } }

  /// Adds an event to the record of its request.
  public func didObserve(_ event: RequestEvent) {
    let ended: RequestRecord? = records.withLock { records in
      guard var record = records.removeValue(forKey: event.id) else {
        let record = RequestRecord(event)
        if !record.hasEnded { records[event.id] = record }
        return record.hasEnded ? record : nil
      }
      record.add(event)
      if record.hasEnded { return record }
      records[event.id] = record
      return nil
    }
    if let ended { report(ended) }
  }
}

internal import ReactiveNetworkLock

/// A plugin that reports a record of each request that has ended, for logs, metrics and traces.
///
/// ```swift
/// let provider = NetworkProvider<GitHub>(
///   plugins: [RequestRecordPlugin { print($0.attributes) }])
/// ```
///
/// The closure is called once for each request, on the thread of its last event, before the completion. The
/// plugin keeps the records of the requests in flight, and of the newest that have ended, if it is told how
/// many.
public final class RequestRecordPlugin: RequestObserver {
  fileprivate struct State {
    var inFlight: [RequestID: RequestRecord] = [:]
    var ended = Queue<RequestRecord>()
    var omitted = 0
  }

  private let limit: Int
  private let state = Lock(State())
  private let report: @Sendable (RequestRecord) -> Void

  /// Creates a plugin.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of ended requests whose records are kept.
  ///   - report: receives the record of each request that has ended.
  @preconcurrency public init(
    keeping limit: Int = 0, _ report: @escaping @Sendable (RequestRecord) -> Void = { _ in }
  ) {
    (self.limit, self.report) = (limit, report)
  }

  /// The records of the requests in flight, oldest first.
  public var inFlight: [RequestRecord] { state.withLock { $0.inFlight.values.sorted { $0.id < $1.id } } }

  /// The kept records of the requests that have ended and of those in flight, oldest first.
  public var records: [RequestRecord] {
    state.withLock { $0.ended.elements + $0.inFlight.values }.sorted { $0.id < $1.id }
  }

  /// The number of ended requests whose records are not kept.
  public var omittedCount: Int { state.withLock { $0.omitted } }

  /// Adds an event to the record of its request.
  public func didObserve(_ event: RequestEvent) {
    let (ended, dropped) = state.withLock { $0.add(event, keeping: limit) }
    // The release of a target or an error may run a user's code, therefore not under the lock.
    withExtendedLifetime(dropped) {}
    if let ended { report(ended) }
  }

  /// Removes all records; requests in flight are no longer reported.
  public func clear() {
    let cleared = state.withLock { exchange(&$0, with: State()) }
    // Not under the lock, because that may run a user's code.
    withExtendedLifetime(cleared) {}
  }
}

extension RequestRecordPlugin.State {
  /// Returns the record of the request if it has ended, and the one that is no longer kept.
  fileprivate mutating func add(
    _ event: RequestEvent, keeping limit: Int
  ) -> (ended: RequestRecord?, dropped: RequestRecord?) {
    var record: RequestRecord
    if let known = inFlight.removeValue(forKey: event.id) {
      record = known
      record.add(event)
    } else if case .queued = event.kind {
      record = RequestRecord(event)
    } else {
      // The request has ended, or began before the records were removed.
      return (nil, nil)
    }
    guard record.hasEnded else {
      inFlight[event.id] = record
      return (nil, nil)
    }
    ended.append(record)
    guard ended.count > limit else { return (record, nil) }
    omitted += 1
    return (record, ended.popFirst())
  }
}

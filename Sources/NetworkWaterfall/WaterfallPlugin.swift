public import NetworkCore
internal import ReactiveNetworkLock

/// A plugin that records the requests of one or more providers, and draws them as a waterfall.
///
/// The picture is like those of browsers' developer tools.
///
/// ```swift
/// let waterfall = WaterfallPlugin()
/// let provider = NetworkProvider<GitHub>(plugins: [waterfall])
/// // …
/// try waterfall.svg(title: "Start").write(toFile: "start.svg", atomically: true, encoding: .utf8)
/// ```
///
/// It has a bar for each request, by host, with its phases on one time axis: waiting for a turn, name lookup,
/// connection, TLS, sending, waiting for the response, receiving it, and waiting for a retry. It marks
/// redirects, retries, hedges, failures and cancellations. User names, passwords and secret parameters of
/// URLs are masked.
///
/// Memory is bounded: the newest `limit` requests are kept, with up to `RequestRecord.spanLimit` phases each,
/// and the newest hundred marks.
public final class WaterfallPlugin: RequestObserver {
  fileprivate struct State {
    var records: [RequestID: RequestRecord] = [:]
    /// The kept requests, oldest first.
    var order = Queue<RequestID>()
    var omitted = 0
    var marks = Queue<WaterfallChart.Mark>()
  }

  /// The maximum number of marks that are kept.
  public static let markLimit = 100

  private let limit: Int
  private let state = Lock(State())

  /// Creates a plugin.
  ///
  /// - Parameter limit: the maximum number of requests that are kept, at least 1.
  public init(limit: Int = 300) {
    self.limit = max(1, limit)
  }

  /// The number of requests that are kept.
  public var requestCount: Int { state.withLock { $0.records.count } }

  /// The number of requests that were recorded and are no longer kept.
  public var omittedCount: Int { state.withLock { $0.omitted } }

  /// The kept requests, oldest first.
  public var records: [RequestRecord] {
    state.withLock { state in state.order.elements.compactMap { state.records[$0] } }
  }

  /// Adds an event to the record of its request.
  public func didObserve(_ event: RequestEvent) {
    let dropped: [RequestRecord] = state.withLock { state in
      guard state.records[event.id] == nil else {
        state.records[event.id]?.add(event)
        return []
      }
      // Anything else belongs to a request that is no longer kept.
      guard case .queued = event.kind else { return [] }
      state.records[event.id] = RequestRecord(event)
      state.order.append(event.id)
      return state.dropOldest(limit: limit)
    }
    // Released outside the lock, because the release of a target or an error may run a user's code.
    withExtendedLifetime(dropped) {}
  }

  /// Marks a time with a vertical line and a label.
  ///
  /// - Parameters:
  ///   - label: the event at that time.
  ///   - time: the time.
  public func mark(_ label: String, at time: ContinuousClock.Instant = .now) {
    state.withLock { state in
      if state.marks.count >= Self.markLimit { _ = state.marks.popFirst() }
      state.marks.append(.init(label: label, time: time))
    }
  }

  /// Removes all requests and marks; requests in flight are not recorded any more.
  public func clear() {
    let cleared = state.withLock { state in
      defer { state = State() }
      return state
    }
    // Not under the lock, because that may run a user's code.
    withExtendedLifetime(cleared) {}
  }

  /// Draws the kept requests.
  ///
  /// - Parameter title: the heading of the picture.
  /// - Returns: an SVG document in UTF-8, for a light or dark display.
  public func svg(title: String = "Requests") -> String {
    let (records, marks, omitted) = state.withLock { state in
      (state.order.elements.compactMap { state.records[$0] }, state.marks.elements, state.omitted)
    }
    return WaterfallChart(title: title, records: records, marks: marks, omittedCount: omitted).svg
  }
}

extension WaterfallPlugin.State {
  /// Removes and returns the oldest requests that exceed the limit.
  mutating func dropOldest(limit: Int) -> [RequestRecord] {
    var dropped: [RequestRecord] = []
    while records.count > limit, let oldest = order.popFirst() {
      if let record = records.removeValue(forKey: oldest) { dropped.append(record) }
      omitted += 1
    }
    return dropped
  }
}

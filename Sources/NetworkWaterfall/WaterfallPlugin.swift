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
/// The plugin keeps the records of the requests in flight and of the newest `limit` that have ended, with up to
/// `RequestRecord.spanLimit` phases each, and the newest hundred marks.
public final class WaterfallPlugin: RequestObserver {
  /// The maximum number of marks that are kept.
  public static let markLimit = 100

  private let requests: RequestRecordPlugin
  private let marks = Lock(Queue<WaterfallChart.Mark>())

  /// Creates a plugin.
  ///
  /// - Parameter limit: the maximum number of ended requests that are kept.
  public init(limit: Int = 300) {
    requests = RequestRecordPlugin(keeping: limit)
  }

  /// The number of requests that are kept.
  public var requestCount: Int { records.count }

  /// The number of requests that have ended and are no longer kept.
  public var omittedCount: Int { requests.omittedCount }

  /// The kept requests, oldest first.
  public var records: [RequestRecord] { requests.records }

  /// Adds an event to the record of its request.
  public func didObserve(_ event: RequestEvent) { requests.didObserve(event) }

  /// Marks a time with a vertical line and a label.
  ///
  /// - Parameters:
  ///   - label: the event at that time.
  ///   - time: the time.
  public func mark(_ label: String, at time: ContinuousClock.Instant = .now) {
    marks.withLock { marks in
      if marks.count >= Self.markLimit { _ = marks.popFirst() }
      marks.append(.init(label: label, time: time))
    }
  }

  /// Removes all requests and marks; requests in flight are not recorded any more.
  public func clear() {
    requests.clear()
    marks.withLock { $0 = Queue() }
  }

  /// Draws the kept requests.
  ///
  /// - Parameter title: the heading of the picture.
  /// - Returns: an SVG document in UTF-8, for a light or dark display.
  public func svg(title: String = "Requests") -> String {
    WaterfallChart(
      title: title, records: records, marks: marks.withLock { $0.elements }, omittedCount: omittedCount
    ).svg
  }
}

internal import CNetworkCoreCurl
internal import Dispatch
internal import ReactiveNetworkLock

/// A query of a loop's gauges, which blocks its thread until the loop has reported them.
final class GaugeQuery: Sendable {
  private let value = Lock(TransportGauges())
  private let latest: LatestGauges
  private let reported = DispatchSemaphore(value: 0)

  init(storingIn latest: LatestGauges) {
    self.latest = latest
  }

  /// Stores the gauges and wakes the reading thread; called by the loop.
  func report(_ gauges: TransportGauges) {
    value.withLock { $0 = gauges }
    latest.withLock { $0 = gauges }
    reported.signal()
  }

  /// Returns the gauges; blocks until the loop has reported them.
  func wait() -> TransportGauges {
    reported.wait()
    return value.withLock { $0 }
  }
}

/// The gauges that a loop has reported last.
final class LatestGauges: Sendable {
  private let value = Lock(TransportGauges())

  func withLock<Result>(_ body: (inout TransportGauges) -> Result) -> Result { value.withLock(body) }
}

extension CurlLoop {
  /// Asks the loop for its gauges, from any thread; a loop's thread does not wait for another one.
  func queryGauges(isOnLoop: Bool) -> GaugeQuery {
    let query = GaugeQuery(storingIn: lastGauges)
    if isForkedCopy {
      query.report(TransportGauges())
    } else if activity.isCurrent {
      query.report(measure())
    } else if isOnLoop {
      query.report(lastGauges.withLock { $0 })
    } else {
      post(.measure(query))
    }
    return query
  }

  /// Returns the gauges of the loop; called on its thread.
  func measure() -> TransportGauges {
    var busy: Set<ObjectIdentifier> = []
    let ended = multi.endedBodyBytes
    var present = TransportGauges(bodyBytesSent: ended.sent, bodyBytesReceived: ended.received)
    for transfer in active.transfers {
      guard let easy = transfer.easy else {
        present.requestsWaiting += 1
        continue
      }
      present.requestsInFlight += 1
      let isStream =
        transfer.hasHead && transfer.reception.isMultiplexed || easy.negotiatedProtocol == CCURL_ALPN_HTTP2
      if isStream { present.streams += 1 }
      present.bodyBytesSent += easy.bodyBytesSent
      present.bodyBytesReceived += easy.bodyBytesReceived
      if let connection = easy.connection { busy.insert(ObjectIdentifier(connection)) }
      // The connections that are being opened.
      for connection in easy.sockets?.opened ?? [] { busy.insert(ObjectIdentifier(connection)) }
    }
    multi.sockets.open.withAll { connections in
      for connection in connections {
        present.connections[connection.origin, default: .init()].open += 1
        if !busy.contains(ObjectIdentifier(connection)) {
          present.connections[connection.origin]?.idle += 1
        }
      }
    }
    return present
  }
}

extension CurlEasy {
  /// The number of bytes of the request body that the current or last transfer has sent.
  var bodyBytesSent: Int64 { reported.hasBegun ? offset(CCURLINFO_SIZE_UPLOAD_T) : 0 }

  /// The number of bytes of the response body that the current or last transfer has received.
  var bodyBytesReceived: Int64 { reported.hasBegun ? offset(CCURLINFO_SIZE_DOWNLOAD_T) : 0 }
}

extension CurlTransport {
  /// The current gauges of the transport.
  ///
  /// May be read on any thread. The threads that carry the transfers report between two turns of their loops.
  /// A read waits for a turn of each, and costs them time in proportion to the number of requests and
  /// connections. A read on such a thread (`TransportRequest.deliversOnLoop`) does not wait: the other
  /// threads of the transport contribute their latest report. In a forked process, all gauges are 0.
  public var gauges: TransportGauges { loops.measure() }
}

extension Transport where Self == CurlTransport {
  /// The current gauges; never `nil`.
  public var gauges: TransportGauges? {
    let transport: CurlTransport = self
    return transport.loops.measure()
  }
}

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

/// The sockets of a loop by the origin for which they were opened, and the bytes of the transfers that have
/// ended.
///
/// Used only on the loop's thread.
final class LoopStatistics {
  @exclusivity(unchecked) private var origins: [CInt: String] = [:]
  @exclusivity(unchecked) private var sent: Int64 = 0
  @exclusivity(unchecked) private var received: Int64 = 0

  /// Records that a socket was opened for a request.
  func noteOpening(of socket: CInt, for url: String) {
    origins[socket] = Origin(url: url)?.text ?? ""
  }

  /// Records that a socket closes.
  func noteClosing(of socket: CInt) {
    origins[socket] = nil
  }

  /// Adds the bytes of a transfer that has been removed from libcurl.
  func add(_ easy: CurlEasy) {
    sent += easy.bodyBytesSent
    received += easy.bodyBytesReceived
  }

  /// Returns the connections, of which those in `busy` carry requests, and the bytes.
  func gauges(busy: Set<CInt>) -> TransportGauges {
    var gauges = TransportGauges(bodyBytesSent: sent, bodyBytesReceived: received)
    for (socket, origin) in origins {
      gauges.connections[origin, default: .init()].open += 1
      if !busy.contains(socket) { gauges.connections[origin]?.idle += 1 }
    }
    return gauges
  }
}

extension CurlLoop {
  /// Returns the gauges of the loop; called on its thread.
  func measure() -> TransportGauges {
    var busy: Set<CInt> = []
    var present = TransportGauges()
    forEachActive { transfer in
      guard let easy = transfer.easy else {
        present.requestsWaiting += 1
        return
      }
      present.requestsInFlight += 1
      let isStream = transfer.hasHead && transfer.isMultiplexed || easy.hasNegotiatedHTTP2 == true
      if isStream { present.streams += 1 }
      present.bodyBytesSent += easy.bodyBytesSent
      present.bodyBytesReceived += easy.bodyBytesReceived
      if let socket = easy.socket { busy.insert(socket) }
      // The sockets of a connection that is being opened.
      _ = easy.sockets?.hasOpened { socket in
        busy.insert(socket)
        return false
      }
    }
    present.add(multi.statistics.gauges(busy: busy))
    return present
  }
}

extension CurlEasy {
  /// The number of bytes of the request body that the current or last transfer has sent.
  var bodyBytesSent: Int64 { offset(CCURLINFO_SIZE_UPLOAD_T) }

  /// The number of bytes of the response body that the current or last transfer has received.
  var bodyBytesReceived: Int64 { offset(CCURLINFO_SIZE_DOWNLOAD_T) }
}

extension CurlTransport {
  /// The current gauges of the transport.
  ///
  /// May be read on any thread. The threads that carry the transfers report between two turns of their loops.
  /// A read waits for a turn of each, and costs them time in proportion to the number of requests and
  /// connections. A read on such a thread (`TransportRequest.deliversOnLoop`, `RedirectPolicy.modify`) does
  /// not wait: the other threads of the transport contribute their latest report. In a forked process, all
  /// gauges are 0.
  public var gauges: TransportGauges { loops.gauges }
}

extension Transport where Self == CurlTransport {
  /// The current gauges; never `nil`.
  public var gauges: TransportGauges? {
    let transport: CurlTransport = self
    return transport.loops.gauges
  }
}

public import Dispatch

extension DispatchQueue {
  /// A queue that represents the thread of the transfers: callbacks run there, without a thread switch.
  ///
  /// Use it only for callbacks that take microseconds, such as those of a proxy or a benchmark. While a
  /// callback runs, the other transfers of that thread make no progress, and their time-outs and
  /// cancellations have no effect. A callback that waited for another request would wait forever, so
  /// `requestAndWait(_:)` and `toBlocking()` fail there with `WaitingError.wouldDeadlock`.
  ///
  /// A request with this queue does not share a transfer in flight.
  public static let transport = DispatchQueue(label: "NetworkCore.transport")

  /// The queue itself; `nil` if it represents a thread of the transport.
  var nilIfTransport: DispatchQueue? {
    self === DispatchQueue.transport || self === TransportThread.queue ? nil : self
  }
}

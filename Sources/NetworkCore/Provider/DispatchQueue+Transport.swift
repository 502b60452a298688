public import Dispatch

extension DispatchQueue {
  /// Represents the thread that carries the requests: callbacks run there, without a change of threads.
  ///
  /// Use it only for callbacks that take microseconds, such as those of a proxy or a benchmark. While a
  /// callback runs, the other transfers of that thread make no progress, and their time-outs and
  /// cancellations have no effect. A callback that blocked until another request had ended would wait for
  /// ever: `requestAndWait(_:)` and `toBlocking()` fail there instead, with `WaitingError.wouldDeadlock`.
  ///
  /// A request with this queue does not share a transfer in flight.
  public static let transport = DispatchQueue(label: "NetworkCore.transport")

  /// The queue itself; `nil` if it represents a thread of the transport.
  var nilIfTransport: DispatchQueue? {
    self === DispatchQueue.transport || self === TransportThread.queue ? nil : self
  }
}

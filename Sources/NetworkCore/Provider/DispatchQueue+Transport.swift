public import Dispatch

extension DispatchQueue {
  /// Stands for the thread that carries the requests: callbacks run there, without a change of threads.
  ///
  /// It is for callbacks that take microseconds, as those of a proxy or a benchmark do. While one runs, no other transfer of that thread
  /// gets on, no time is out and no cancel is obeyed. One that blocks until another request has ended would wait for ever:
  /// `requestAndWait(_:)` and `toBlocking()` fail there instead, with `WaitingError.wouldDeadlock`.
  ///
  /// A request that names it shares no transfer in flight.
  public static let transport = DispatchQueue(label: "NetworkCore.transport")

  /// The queue itself; `nil` for one that stands for a thread of the transport.
  var orTransport: DispatchQueue? {
    self === DispatchQueue.transport || self === TransportThread.queue ? nil : self
  }
}

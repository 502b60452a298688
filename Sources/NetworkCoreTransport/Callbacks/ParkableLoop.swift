/// A loop that the threads of a `CallbackPool` run, one at a time.
package protocol ParkableLoop: AnyObject, Sendable {
  /// Runs the loop on a thread of the pool, the calling one, until it ends or is parked.
  func run(on thread: CallbackThread)
}

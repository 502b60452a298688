#if os(Linux)
  import Foundation

  /// Dispatch's main queue, for a main loop that does not run it.
  ///
  /// On Linux, `dispatchMain()` and Foundation's run loop run the main queue. A program whose main thread runs
  /// another loop, such as that of Qt, SDL or libuv, or one around `poll`, has to do it itself: otherwise no
  /// block of `DispatchQueue.main` runs there, no `@MainActor` task and no `MainScheduler`. Wait for
  /// ``descriptor`` together with the other descriptors of the loop, and call ``drain()`` when it is readable:
  ///
  /// ```swift
  /// var waiting = [pollfd(fd: MainQueue.descriptor, events: Int16(POLLIN), revents: 0)]
  /// while isRunning {
  ///   poll(&waiting, nfds_t(waiting.count), -1)
  ///   if waiting[0].revents != 0 { try MainQueue.drain() }
  /// }
  /// ```
  ///
  /// For GLib's loop, ``GLibMainLoop`` does both.
  public enum MainQueue {
    /// The descriptor that is readable when the main queue has work.
    ///
    /// It belongs to Dispatch: do not close it. It stays readable until ``drain()`` is called.
    public static var descriptor: CInt { mainQueueDescriptor() }

    /// Runs the work that the main queue holds at the time of the call.
    ///
    /// Work that is added meanwhile makes ``descriptor`` readable again, so that work that adds work does not
    /// keep the loop from its other sources. A call from within work of the main queue does nothing, as a loop
    /// that such work runs does nothing for the queue: what waits runs after that work has ended.
    ///
    /// - Throws: `MainLoopError.notOnMainThread`.
    public static func drain() throws(MainLoopError) {
      guard Thread.isMainThread else { throw .notOnMainThread(function: "MainQueue.drain") }
      // Dispatch never reads its descriptor. This reads before it drains, because afterwards the read would
      // swallow the signal of work that was added in between.
      var count: UInt64 = 0
      _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
      drainMainQueue(nil)
    }
  }

  // libdispatch exports these functions for the run loop of swift-corelibs-foundation.

  @_silgen_name("_dispatch_get_main_queue_handle_4CF")
  private func mainQueueDescriptor() -> CInt

  @_silgen_name("_dispatch_main_queue_callback_4CF")
  private func drainMainQueue(_ message: UnsafeMutableRawPointer?)
#endif

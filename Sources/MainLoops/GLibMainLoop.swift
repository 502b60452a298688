#if os(Linux)
  import Foundation

  /// GLib's main loop, which GTK's programs run.
  ///
  /// GLib is loaded at run time, so that neither building nor running a program without it needs GLib.
  public enum GLibMainLoop {
    /// Makes GLib's default main context run Dispatch's main queue; call it once, before the loop runs.
    ///
    /// ```swift
    /// try GLibMainLoop.attachMainQueue()
    /// ```
    ///
    /// Blocks of `DispatchQueue.main`, `@MainActor` tasks, `MainScheduler` and `subscribe(onMain:)` then run
    /// inside the loop, on the main thread. So do blocks that were added before this call. An idle queue costs
    /// no processor time.
    ///
    /// The main thread must run the context. If another thread does, the main queue does not run, and a line on
    /// standard error says so. A loop that runs inside work of the main queue, as that of a modal dialog, runs
    /// no other work of the queue; that work runs afterwards.
    ///
    /// - Parameter priority: the priority of the queue among the sources of the loop, where a lower number
    ///   comes first. The default is GTK's priority of redrawing, so that a main queue that always has work and
    ///   a window that always redraws take turns. With GLib's default priority, 0, such a queue would keep
    ///   windows from redrawing.
    /// - Throws: `MainLoopError`: `.glibUnavailable`, or `.notOnMainThread` if the caller is not on the main
    ///   thread.
    public static func attachMainQueue(priority: CInt = 120) throws(MainLoopError) {
      try attachMainQueue(priority: priority, library: "libglib-2.0.so.0")
    }

    /// Uses a file with another name as GLib.
    package static func attachMainQueue(priority: CInt, library: String) throws(MainLoopError) {
      guard Thread.isMainThread else { throw .notOnMainThread(function: "GLibMainLoop.attachMainQueue") }
      // Never closed, because the loop calls back as long as the process runs.
      guard let glib = dlopen(library, RTLD_NOW | RTLD_LOCAL) else {
        throw .glibUnavailable(reason: dlerror().map { String(cString: $0) } ?? "\(library) was not found")
      }
      guard let symbol = dlsym(glib, "g_unix_fd_add_full") else {
        throw .glibUnavailable(reason: "\(library) has no g_unix_fd_add_full; GLib 2.36 or newer is needed")
      }
      // The signature has been the same since GLib 2.36.
      let addSource = unsafeBitCast(symbol, to: AddDescriptorSource.self)
      _ = addSource(priority, MainQueue.descriptor, CInt(POLLIN), drainMainQueue, nil, nil)
    }

    private typealias DescriptorCallback = @convention(c) (CInt, CInt, UnsafeMutableRawPointer?) -> CInt
    private typealias AddDescriptorSource =
      @convention(c) (
        _ priority: CInt, _ descriptor: CInt, _ condition: CInt, _ callback: DescriptorCallback,
        _ data: UnsafeMutableRawPointer?, _ destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
      ) -> CUnsignedInt

    private static let drainMainQueue: DescriptorCallback = { _, _, _ in
      let (keepsSource, removesSource): (CInt, CInt) = (1, 0)
      do throws(MainLoopError) {
        try MainQueue.drain()
        return keepsSource
      } catch {
        // A C callback cannot throw; and the source would be called without a pause, because nothing drains it.
        let line = "GLibMainLoop: the main queue does not run: \(error.localizedDescription)\n"
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
        return removesSource
      }
    }
  }
#endif

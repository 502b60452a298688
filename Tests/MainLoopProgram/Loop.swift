#if os(Linux)
  import Foundation
  import MainLoops

  /// A main loop that runs the main queue, with a timer and the reading end of a pipe as its other sources.
  @MainActor protocol Loop: AnyObject {
    /// Makes the loop run the main queue.
    func attach() throws
    /// Calls `onTick` every 10 ms, and `onIdle` whenever nothing more important has to be done.
    func start(onTick: @escaping @MainActor () -> Void, onIdle: @escaping @MainActor () -> Void)
    /// Waits for the sources once, and handles those that are ready.
    func turn()
  }

  /// The counters and the end of a scenario.
  @MainActor final class Run {
    static var turns = 0
    static var isOver = false
    /// What has happened, in order.
    static var notes: [String] = []
    /// The number of blocks that have run.
    static var blocks = 0

    static func untilOver(_ loop: any Loop) {
      while !isOver {
        turns += 1
        loop.turn()
      }
    }

    /// The processor time of the process in milliseconds.
    static var processorTime: Double {
      var usage = rusage()
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      let times = [usage.ru_utime, usage.ru_stime]
      return times.reduce(0) { $0 + Double($1.tv_sec) * 1e3 + Double($1.tv_usec) / 1e3 }
    }
  }

  /// A loop around `poll`.
  @MainActor final class PollLoop: Loop {
    private var waiting: [pollfd] = []
    private var nextTick: ContinuousClock.Instant?
    private var onTick: @MainActor () -> Void = {}
    private var onIdle: @MainActor () -> Void = {}

    func attach() throws {
      waiting = [pollfd(fd: MainQueue.descriptor, events: Int16(POLLIN), revents: 0)]
    }

    func start(onTick: @escaping @MainActor () -> Void, onIdle: @escaping @MainActor () -> Void) {
      (self.onTick, self.onIdle, nextTick) = (onTick, onIdle, .now)
    }

    func turn() {
      let left = nextTick.map { CInt(max(0, ($0 - .now) / .milliseconds(1)).rounded(.up)) }
      poll(&waiting, nfds_t(waiting.count), left ?? -1)
      if waiting.first?.revents != 0 {
        do { try MainQueue.drain() } catch { print("error \(error)") }
      }
      onIdle()
      guard let tick = nextTick, tick <= .now else { return }
      nextTick = .now + .milliseconds(10)
      onTick()
    }
  }

  /// GLib's loop; its functions are looked up at run time, so that the tests build without GLib.
  @MainActor final class GLibLoop: Loop {
    private typealias Callback = @convention(c) (UnsafeMutableRawPointer?) -> CInt
    private static var onTick: @MainActor () -> Void = {}
    private static var onIdle: @MainActor () -> Void = {}
    private static var remainingCalls = 0
    private let glib: UnsafeMutableRawPointer
    private nonisolated let iterate: @convention(c) (OpaquePointer?, CInt) -> CInt

    init?() {
      guard let glib = dlopen("libglib-2.0.so.0", RTLD_NOW),
        let iteration = dlsym(glib, "g_main_context_iteration")
      else { return nil }
      self.glib = glib
      iterate = unsafeBitCast(iteration, to: (@convention(c) (OpaquePointer?, CInt) -> CInt).self)
    }

    func attach() throws {
      try GLibMainLoop.attachMainQueue()
    }

    func start(onTick: @escaping @MainActor () -> Void, onIdle: @escaping @MainActor () -> Void) {
      (Self.onTick, Self.onIdle) = (onTick, onIdle)
      guard let timeout = dlsym(glib, "g_timeout_add"), let idle = dlsym(glib, "g_idle_add_full") else {
        return print("error no g_timeout_add or g_idle_add_full")
      }
      let tick: Callback = { _ in
        MainActor.assumeIsolated { GLibLoop.onTick() }
        return 1
      }
      _ = unsafeBitCast(
        timeout, to: (@convention(c) (CUnsignedInt, Callback, UnsafeMutableRawPointer?) -> CUnsignedInt).self)(
          10, tick, nil)
      let redraw: Callback = { _ in
        MainActor.assumeIsolated { GLibLoop.onIdle() }
        return 1
      }
      let redrawPriority: CInt = 120
      _ = unsafeBitCast(
        idle,
        to: (@convention(c) (CInt, Callback, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) ->
          CUnsignedInt)
          .self)(redrawPriority, redraw, nil, nil)
    }

    /// Calls `onIdle` a number of times, each time that no source with a lower number has to be handled.
    func start(priority: CInt, calls: Int, onIdle: @escaping @MainActor () -> Void) {
      (Self.remainingCalls, Self.onIdle) = (calls, onIdle)
      guard let idle = dlsym(glib, "g_idle_add_full") else { return print("error no g_idle_add_full") }
      let call: Callback = { _ in
        MainActor.assumeIsolated { () -> CInt in
          GLibLoop.onIdle()
          GLibLoop.remainingCalls -= 1
          return GLibLoop.remainingCalls > 0 ? 1 : 0
        }
      }
      _ = unsafeBitCast(
        idle,
        to: (@convention(c) (CInt, Callback, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) ->
          CUnsignedInt)
          .self)(priority, call, nil, nil)
    }

    func turn() {
      _ = iterate(nil, 1)
    }

    /// Handles the sources that are ready, on any thread.
    nonisolated func turnElsewhere() {
      _ = iterate(nil, 0)
    }
  }
#endif

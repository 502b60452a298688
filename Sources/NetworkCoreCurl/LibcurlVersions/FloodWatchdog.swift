internal import CNetworkCoreCurl
internal import Dispatch
internal import Foundation
internal import ReactiveNetworkLock
internal import Synchronization

/// Ends a connection that keeps libcurl busy within one call without any progress.
///
/// Over HTTP/2, libcurl (7.88, and 8.19 to 8.23) keeps reading while data arrives that is not part of a
/// response. All tested versions do the same with a proxy's refusal of a tunnel. 8.12 returns in between, so
/// that the idle time-out ends the transfer. A server that sends such data as fast as it is read would block
/// all transfers of the thread, with their time-outs and cancellations, and only another thread can end that.
/// The watchdog checks periodically while calls are made, and not while the loop waits. It can be removed
/// when `FloodTests` passes without it under every version.
final class FloodWatchdog: Sendable {
  private struct State {
    /// The CPU clock of the thread that makes the calls.
    var clock: CInt = -1
    /// The value of `progress` at the last check.
    var progress: UInt64 = 0
    /// The CPU time of the thread at the first check of a call without progress; `nil` if there is none.
    var stallStart: Int64?
  }

  private static let queue = DispatchQueue(label: "FloodWatchdog")
  /// The milliseconds between two checks, and between two checks of a suspected call.
  private static let (interval, shortInterval) = (250, 100)
  /// The CPU time in nanoseconds that a suspected call may take before its connection is ended: longer than
  /// libcurl takes to store everything that a stream can deliver while its receiver is paused.
  private static let cpuTimeLimit: Int64 = 100_000_000
  /// The bytes that must be read from a connection in that time.
  private static let floodSize: Int64 = 512 << 10

  private let connections: OpenConnections
  private let state = Lock(State())
  /// Increases with each beginning and end of a call and each progress within it; odd within a call.
  ///
  /// Only the thread that makes the calls writes it.
  private let progress = Atomic<UInt64>(0)
  private let isChecking = Atomic(false)
  private let hasEnded = Atomic(false)

  init(_ connections: OpenConnections) {
    self.connections = connections
  }

  /// Registers the calling thread as the one that makes the calls.
  func attach() {
    state.withLock { $0.clock = ccurl_thread_clock() }
  }

  /// Makes a call to libcurl.
  func run(_ call: () -> Void) {
    // Stored before `isChecking` is read, because `check()` accesses the two in the opposite order.
    progress.store(progress.load(ordering: .relaxed) | 1, ordering: .sequentiallyConsistent)
    if !isChecking.load(ordering: .sequentiallyConsistent) { startChecking() }
    call()
    progress.store((progress.load(ordering: .relaxed) | 1) &+ 1, ordering: .relaxed)
  }

  /// Notes that the call has made progress: libcurl has called back.
  func noteProgress() {
    progress.store(progress.load(ordering: .relaxed) &+ 2, ordering: .relaxed)
  }

  /// Whether the watchdog has ended any connection.
  var hasEndedAny: Bool { hasEnded.load(ordering: .relaxed) }
}

extension FloodWatchdog {
  private func startChecking() {
    guard !isChecking.exchange(true, ordering: .sequentiallyConsistent) else { return }
    check(in: Self.interval)
  }

  private func check(in milliseconds: Int) {
    Self.queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [self] in check() }
  }

  private func check() {
    let progress = progress.load(ordering: .acquiring)
    guard progress & 1 == 1 else {
      isChecking.store(false, ordering: .sequentiallyConsistent)
      // A call may have begun before its thread could see the store.
      if self.progress.load(ordering: .sequentiallyConsistent) & 1 == 1 { startChecking() }
      return
    }
    let isStalled = connections.withAll { connections in checkStall(of: connections, progress) }
    check(in: isStalled ? Self.shortInterval : Self.interval)
  }

  /// Ends the connection that the call keeps reading without progress, if there is one; returns whether a call
  /// has made no progress since the last check.
  private func checkStall(of connections: Dictionary<CInt, Connection>.Values, _ progress: UInt64) -> Bool {
    state.withLock { state in
      defer { state.progress = progress }
      guard state.progress == progress else {
        state.stallStart = nil
        return false
      }
      let time = ccurl_thread_time(state.clock)
      let start = state.stallStart
      let read = connections.map { connection in
        if start == nil { connection.readAtStall = nil }
        return (connection: connection, count: connection.noteRead())
      }
      // If the call has made progress meanwhile, the bytes may belong to it.
      guard self.progress.load(ordering: .acquiring) == progress else {
        state.stallStart = nil
        return false
      }
      // Counts CPU time, so that a starved thread neither triggers nor hides a flood.
      if let start, time - start >= Self.cpuTimeLimit, let most = read.max(by: { $0.count < $1.count }),
        most.count >= Self.floodSize
      {
        most.connection.hasFlooded.store(true, ordering: .relaxed)
        hasEnded.store(true, ordering: .relaxed)
        shutdown(most.connection.socket, CInt(SHUT_RDWR))
        state.stallStart = nil
      } else {
        state.stallStart = start ?? time
      }
      return true
    }
  }
}

extension Connection {
  /// Returns the number of bytes read since the first check of a call without progress that saw the
  /// connection; 0 if the system does not report it.
  fileprivate func noteRead() -> Int64 {
    let count = ccurl_bytes_read(socket)
    guard count >= 0 else { return 0 }
    guard let first = readAtStall else {
      readAtStall = count
      return 0
    }
    return count - first
  }
}

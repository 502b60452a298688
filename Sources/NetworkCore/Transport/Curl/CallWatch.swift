internal import CCurl
internal import Dispatch
internal import Foundation
internal import Locking
internal import Synchronization

/// Ends a connection that keeps libcurl within one call, of which nothing comes.
///
/// Over HTTP/2, libcurl (7.88, and 8.19 to 8.23) reads for as long as something comes that is no part of an answer, and so it does of a
/// proxy's refusal of a tunnel (all versions tested). 8.12 returns meanwhile, and the idle time ends the transfer. The watch may go when
/// `FloodTests` passes without it under every version. A server that sends such things as fast as they are taken would hold up all transfers of the thread, with their
/// time-outs and cancels, and only another thread can end that. It looks now and then while calls are made, and at nothing while
/// the loop waits.
final class CallWatch: Sendable {
  /// What is known of a call that makes no progress, from the first look at it on.
  private struct Suspicion {
    /// How long the thread had run by then.
    let time: Int64
    /// What had been read of each connection, by then or by the first look at it.
    var read: [CInt: Int64]

    /// The socket that the call has read over and over by another look, if it has.
    ///
    /// Only the time counts in which the thread ran: that it is kept from running, and cannot read, is not held against anybody,
    /// and does not hide what it does when it runs.
    mutating func culprit(by next: Self) -> CInt? {
      read.merge(next.read) { known, _ in known }
      guard next.time - time >= CallWatch.patience else { return nil }
      let grown = next.read.map { socket, count in (socket, count - (read[socket] ?? count)) }
      return grown.max { $0.1 < $1.1 }.flatMap { $0.1 >= CallWatch.flood ? $0.0 : nil }
    }
  }

  private struct State {
    /// The sockets that are open.
    var sockets: Set<CInt> = []
    /// The connections that have been ended.
    var ended: Set<ConnectionEnds> = []
    /// Their sockets, until the numbers are others'.
    var endedSockets: Set<CInt> = []
    /// The clock of the thread that makes the calls.
    var clock: CInt = -1
    /// What `progress` was at the last look.
    var progress: UInt64 = 0
    var suspicion: Suspicion?
  }

  private static let queue = DispatchQueue(label: "CallWatch")
  /// Between two looks, in milliseconds, and between those at a call that is suspected.
  private static let (interval, shortInterval) = (250, 100)
  /// How long the thread has to run within a call that is suspected before it is ended, in nanoseconds: longer than libcurl takes
  /// to put away all that a stream may bring whose receiver is paused.
  private static let patience: Int64 = 100_000_000
  /// How much has to be read of a connection meanwhile.
  private static let flood: Int64 = 512 << 10

  private let state = Lock(State())
  /// Grows with each beginning and end of a call and each progress within it; odd within one.
  ///
  /// Written by the thread that makes the calls alone.
  private let progress = Atomic<UInt64>(0)
  private let isLooking = Atomic(false)
  private let hasEnded = Atomic(false)

  /// Takes the calling thread for the one that makes the calls.
  func attach() {
    state.withLock { $0.clock = ccurl_thread_clock() }
  }

  /// Makes a call of libcurl's.
  func within(_ call: () -> Void) {
    // Before the look at `isLooking`, as the other side does it the other way round.
    progress.store(progress.load(ordering: .relaxed) | 1, ordering: .sequentiallyConsistent)
    if !isLooking.load(ordering: .sequentiallyConsistent) { beginLooking() }
    call()
    progress.store((progress.load(ordering: .relaxed) | 1) &+ 1, ordering: .relaxed)
  }

  /// The call has got on: libcurl has called back.
  func noteProgress() {
    progress.store(progress.load(ordering: .relaxed) &+ 2, ordering: .relaxed)
  }

  /// A socket has been opened.
  func noteOpening(of socket: CInt) {
    state.withLock { state in
      state.sockets.insert(socket)
      state.endedSockets.remove(socket)
    }
  }

  /// There is a new connection.
  func noteConnection(_ connection: ConnectionEnds) {
    if hasEndedSome { state.withLock { _ = $0.ended.remove(connection) } }
  }

  /// A socket is about to be closed, after which its number may be another's.
  func noteClosing(of socket: CInt) {
    state.withLock { state in
      state.sockets.remove(socket)
      state.suspicion?.read[socket] = nil
    }
  }

  /// Whether any connection has been ended.
  var hasEndedSome: Bool { hasEnded.load(ordering: .relaxed) }

  /// Whether a connection has been ended, by the number that its socket has or had.
  ///
  /// Until a proxy has opened a tunnel, libcurl (8.x) tells no ends of the connection to it.
  func hasEnded(_ socket: CInt) -> Bool { state.withLock { $0.endedSockets.contains(socket) } }

  /// Whether a connection has been ended.
  func hasEnded(_ connection: ConnectionEnds) -> Bool { state.withLock { $0.ended.contains(connection) } }
}

extension CallWatch {
  private func beginLooking() {
    guard !isLooking.exchange(true, ordering: .sequentiallyConsistent) else { return }
    look(in: Self.interval)
  }

  private func look(in milliseconds: Int) {
    Self.queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [self] in look() }
  }

  private func look() {
    let progress = progress.load(ordering: .acquiring)
    guard progress & 1 == 1 else {
      isLooking.store(false, ordering: .sequentiallyConsistent)
      // A call may have begun before the other side could see that.
      if self.progress.load(ordering: .sequentiallyConsistent) & 1 == 1 { beginLooking() }
      return
    }
    let isSuspected = state.withLock { state in
      defer { state.progress = progress }
      guard state.progress == progress else {
        state.suspicion = nil
        return false
      }
      // Under the lock, so that no socket closes meanwhile.
      let next = Suspicion(
        time: ccurl_thread_time(state.clock),
        read: Dictionary(
          uniqueKeysWithValues: state.sockets.map { ($0, ccurl_read($0)) }.filter { $0.1 >= 0 }))
      // What has been read meanwhile may have been of use.
      guard self.progress.load(ordering: .acquiring) == progress else {
        state.suspicion = nil
        return false
      }
      if let socket = state.suspicion?.culprit(by: next), let connection = ConnectionEnds(socket: socket) {
        state.ended.insert(connection)
        state.endedSockets.insert(socket)
        hasEnded.store(true, ordering: .relaxed)
        shutdown(socket, CInt(SHUT_RDWR))
        state.suspicion = nil
      }
      if state.suspicion == nil { state.suspicion = next }
      return true
    }
    look(in: isSuspected ? Self.shortInterval : Self.interval)
  }
}

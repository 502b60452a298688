internal import CCurl
internal import Dispatch
internal import Foundation
internal import Locking

/// The thread that runs libcurl's multi handle, and the inbox through which other threads reach it.
///
/// Sendable although it has mutable properties: what other threads touch is behind `inbox`; everything else is
/// touched by the loop's own thread alone, from `run()` down, and by `init` before that thread exists.
final class CurlLoop: @unchecked Sendable {
  /// What other threads ask of the loop.
  enum Command {
    case start(CurlTransfer, refusal: TransferError?)
    case cancel(CurlTransfer)
    case shutDown
  }

  private struct Inbox {
    var commands: [Command] = []
    /// Whether the loop is in `curl_multi_poll`, or about to be, and must be woken to see a command.
    var isSleeping = false
    /// Whether the multi handle is still there.
    var isOpen = true
  }

  private let inbox = Lock(Inbox())
  private let library: CurlLibrary
  private let curl: UnsafePointer<ccurl_library>
  private let multi: UnsafeMutableRawPointer

  private var commands: [Command] = []
  private var active: [CurlTransfer] = []
  private var idleHandles: [CurlEasy] = []
  private var pending: [CurlTransfer] = []
  private var delivering: [CurlTransfer] = []
  private var isShuttingDown = false
  /// The earliest time at which a transfer can have been idle for too long.
  private var nextLook = UInt64.max
  /// The clock, read once a turn.
  private(set) var now: UInt64 = 0

  init(library: CurlLibrary, connections: Int) throws(CurlUnavailableError) {
    self.library = library
    curl = library.table
    guard let multi = curl.pointee.multi_init() else {
      throw CurlUnavailableError(reason: "curl_multi_init failed")
    }
    self.multi = multi
    // libcurl would keep four times as many connections as there are transfers *left* when one ends: after a
    // burst nearly none.
    _ = ccurl_multi_setopt_long(curl, multi, CCURLMOPT_MAXCONNECTS, connections)
    // Requests beyond this wait for a connection instead of failing for want of a descriptor.
    _ = ccurl_multi_setopt_long(curl, multi, CCURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
    Thread { [self] in run() }.start()
  }

  /// Hands the loop a command, from any thread; after the end of the loop it is dropped.
  func post(_ command: Command) {
    inbox.withLock { inbox in
      guard inbox.isOpen else { return }
      inbox.commands.append(command)
      guard inbox.isSleeping else { return }
      inbox.isSleeping = false
      // Under the lock, so that the multi handle cannot go in between; it is one write to a socket.
      _ = curl.pointee.multi_wakeup(multi)
    }
  }

  /// Takes note that a transfer has events; called by the transfer from libcurl's callbacks.
  func noteEvents(of transfer: CurlTransfer) {
    guard !transfer.isPending else { return }
    transfer.isPending = true
    pending.append(transfer)
  }
}

extension CurlLoop {
  private func run() {
    // Here and not before the start, where Foundation on Linux does not pass it on to the system.
    Thread.current.name = "CurlTransport"
    // TLS writes with plain `write`, and NOSIGNAL keeps libcurl from ignoring SIGPIPE for the whole process.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)

    now = DispatchTime.now().uptimeNanoseconds
    while true {
      takeCommands()
      if isShuttingDown { break }
      var running: CInt = 0
      _ = curl.pointee.multi_perform(multi, &running)
      // Between reading and delivering, so that a handler that took long is not held against the others: what has
      // arrived meanwhile has been noted by now.
      if now >= nextLook { endIdleTransfers() }
      endFinishedTransfers()
      deliverEvents()
      if prepareToSleep() {
        _ = curl.pointee.multi_poll(multi, nil, 0, sleepMilliseconds, nil)
        inbox.withLock { $0.isSleeping = false }
      }
      now = DispatchTime.now().uptimeNanoseconds
    }
    shutDown()
  }

  private func prepareToSleep() -> Bool {
    inbox.withLock { inbox in
      guard inbox.commands.isEmpty else { return false }
      inbox.isSleeping = true
      return true
    }
  }

  private var sleepMilliseconds: CInt {
    guard nextLook != .max else { return .max }
    let current = DispatchTime.now().uptimeNanoseconds
    return nextLook <= current ? 0 : CInt(clamping: (nextLook - current) / 1_000_000 + 1)
  }

  private func takeCommands() {
    // Swapped, so that both arrays keep their memory.
    inbox.withLock { swap(&$0.commands, &commands) }
    for command in commands {
      switch command {
      case .start(let transfer, let refusal): start(transfer, refusal)
      case .cancel(let transfer): end(transfer, with: .cancelled)
      case .shutDown: isShuttingDown = true
      }
    }
    commands.removeAll(keepingCapacity: true)
  }

  private func start(_ transfer: CurlTransfer, _ refusal: TransferError?) {
    guard refusal == nil, !transfer.isCancelled else { return transfer.finish(refusal) }
    guard let easy = idleHandles.popLast() ?? CurlEasy(curl: curl) else {
      return transfer.finish(.other(code: CCURLE_OUT_OF_MEMORY, reason: "no memory for another transfer"))
    }
    easy.transfer = transfer
    transfer.easy = easy
    transfer.index = active.count
    active.append(transfer)
    transfer.lastActivity = now
    nextLook = min(nextLook, transfer.deadline)
    send(transfer, easy)
  }

  private func send(_ transfer: CurlTransfer, _ easy: CurlEasy) {
    easy.prepare(transfer.request)
    let code = curl.pointee.multi_add_handle(multi, easy.handle)
    guard code != 0 else { return }
    takeOff(transfer, easy)
    transfer.finish(.other(code: Int(code), reason: "libcurl refused the transfer"))
  }

  /// Takes a transfer off the wire, if it is on it, and ends it.
  private func end(_ transfer: CurlTransfer, with error: TransferError?) {
    guard let easy = transfer.easy else { return }
    // In the middle of a transfer this closes the connection (HTTP/1.1) or resets the stream (HTTP/2).
    _ = curl.pointee.multi_remove_handle(multi, easy.handle)
    takeOff(transfer, easy)
    transfer.finish(error)
  }

  private func takeOff(_ transfer: CurlTransfer, _ easy: CurlEasy) {
    easy.transfer = nil
    transfer.easy = nil
    if let index = transfer.index.take() {
      active.swapAt(index, active.count - 1)
      active.removeLast()
      if index < active.count { active[index].index = index }
    }
    if idleHandles.count < CurlTransport.idleHandleLimit { idleHandles.append(easy) }
  }

  private func endFinishedTransfers() {
    var code = 0
    while let handle = ccurl_multi_next_done(curl, multi, &code) {
      // PRIVATE is the `CurlEasy`, which `active` keeps alive through its transfer.
      guard let context = ccurl_getinfo_pointer(curl, handle, CCURLINFO_PRIVATE) else { continue }
      let easy = Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue()
      guard let transfer = easy.transfer else { continue }
      if code == CCURLE_OK, transfer.isRedirected {
        follow(transfer, easy)
      } else {
        end(
          transfer, with: code == CCURLE_OK ? nil : TransferError(code: code, easy: easy, transfer: transfer))
      }
    }
  }

  private func follow(_ transfer: CurlTransfer, _ easy: CurlEasy) {
    // What was sent so far belongs to the request as it was.
    transfer.deliverEvents()
    let location = easy.string(CCURLINFO_REDIRECT_URL) ?? ""
    do throws(TransferError) {
      try transfer.follow(location)
    } catch {
      return end(transfer, with: error)
    }
    _ = curl.pointee.multi_remove_handle(multi, easy.handle)
    send(transfer, easy)
  }

  private func deliverEvents() {
    guard !pending.isEmpty else { return }
    swap(&pending, &delivering)
    for transfer in delivering where transfer.isPending { transfer.deliverEvents() }
    delivering.removeAll(keepingCapacity: true)
  }

  /// Ends what has been idle for too long, and finds out when to look again.
  private func endIdleTransfers() {
    nextLook = .max
    var expired: [CurlTransfer] = []
    for transfer in active {
      if transfer.deadline <= now, !transfer.noteUnseenActivity() {
        expired.append(transfer)
      } else {
        nextLook = min(nextLook, transfer.deadline)
      }
    }
    for transfer in expired { end(transfer, with: .timedOut(after: transfer.request.idleTimeout)) }
  }

  private func shutDown() {
    let left = inbox.withLock { inbox in
      inbox.isOpen = false
      defer { inbox.commands = [] }
      return inbox.commands
    }
    for transfer in active { end(transfer, with: .cancelled) }
    for case .start(let transfer, _) in left { transfer.finish(.cancelled) }
    idleHandles = []
    _ = curl.pointee.multi_cleanup(multi)
  }
}

internal import ReactiveNetworkLock

/// The commands of other threads to a loop, until the loop takes them.
///
/// It holds a few commands for each transfer. Their number is limited (`CurlConfiguration.Connections.requestLimit`), except
/// that of transfers that the limit refuses, which leave with the next turn of the loop.
struct LoopInbox: ~Copyable {
  /// A command of another thread to a loop.
  enum Command {
    case start(CurlTransfer, refusal: TransferError?)
    case cancel(CurlTransfer)
    /// There may be more of the request body to send, or room for more of the response body.
    case resume(CurlTransfer)
    /// The body that the request sends has been opened.
    case opened(CurlTransfer, OpenedBody)
    /// The checks of a host's certificate have been found.
    case foundPolicy(HostPolicy)
    /// The gauges are to be reported.
    case measure(GaugeQuery)
    case shutDown
  }

  /// What the thread does that takes the commands.
  enum Reader {
    case running
    /// It waits for sockets, or is about to, and must be woken to see a command.
    case sleeping
    /// There is none, because the loop is parked.
    case absent
  }

  /// What has become of a command.
  enum Answer {
    case taken
    /// It has been taken, and the loop must be run, because it is parked.
    case mustRun
    /// It has not been taken, because the loop has ended.
    case refused
  }

  // Not private: the compiler (6.3) crashes on a private type behind a lock that a type of another file
  // embeds.
  struct State {
    var commands = Queue<Command>()
    var reader = Reader.running
    /// Whether commands are still accepted.
    var isOpen = true
  }

  private let state = Lock(State())

  /// Adds a command, from any thread, and wakes the loop if it sleeps.
  ///
  /// `wake` is called under the lock, so that the loop cannot end in between.
  func post(_ command: Command, wake: () -> Void) -> Answer {
    state.withLock { state in
      guard state.isOpen else { return .refused }
      state.commands.append(command)
      defer { state.reader = .running }
      if state.reader == .sleeping { wake() }
      return state.reader == .absent ? .mustRun : .taken
    }
  }

  /// Notes that the loop is about to be parked; returns `false` if it must not, because commands have arrived.
  func leave() -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty else { return false }
      state.reader = .absent
      return true
    }
  }

  /// Notes that the loop is about to wait; returns `false` if it must not, because commands have arrived.
  func prepareToWait() -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty else { return false }
      state.reader = .sleeping
      return true
    }
  }

  /// Returns the pending commands in exchange for an empty queue, so that both queues keep their memory.
  func swapCommands(with commands: inout Queue<Command>) {
    state.withLock { state in
      state.reader = .running
      swap(&state.commands, &commands)
    }
  }

  /// Accepts no further commands; returns the pending ones.
  func close() -> Queue<Command> {
    state.withLock { state in
      state.isOpen = false
      return exchange(&state.commands, with: Queue())
    }
  }
}

/// A body that was opened on another thread than the loop's, or the reason why it could not be.
///
/// Sendable because the thread that opened it does not keep it.
struct OpenedBody: @unchecked Sendable {
  let result: Result<RequestBodyReader, TransferError>
}

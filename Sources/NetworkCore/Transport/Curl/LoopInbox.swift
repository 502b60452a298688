internal import Locking

/// What other threads ask of a loop, until the loop takes it.
struct LoopInbox: ~Copyable {
  /// What other threads ask of a loop.
  enum Command {
    case start(CurlTransfer, refusal: TransferError?)
    case cancel(CurlTransfer)
    /// There may be more of the request's body, or room for more of the answer's.
    case goOn(CurlTransfer)
    /// The file that the request sends has been opened.
    case opened(CurlTransfer, OpenedBody)
    case shutDown
  }

  /// How many commands wait at most for a thread that goes on to post more.
  private static let patience = 8

  // Not private: the compiler (6.3) crashes on one behind a lock that a type of another file embeds.
  struct State {
    var commands: [Command] = []
    /// Whether the loop waits for sockets, or is about to, and must be woken to see a command.
    var isSleeping = false
    /// Whether anybody will take what comes.
    var isOpen = true
  }

  private let state = Lock(State())

  /// Takes in a command, from any thread; after the end of the loop it is dropped.
  ///
  /// `wake` wakes the loop; it is called under the lock, so that the loop cannot end in between. Not for the first few commands of
  /// a thread that says that `more` may follow, and calls `flush` before it does anything else.
  func post(_ command: Command, more: Bool, wake: () -> Void) {
    state.withLock { state in
      guard state.isOpen else { return }
      state.commands.append(command)
      guard state.isSleeping, !more || state.commands.count >= Self.patience else { return }
      state.isSleeping = false
      wake()
    }
  }

  /// Wakes the loop for commands that it has not been woken for.
  func flush(wake: () -> Void) {
    state.withLock { state in
      guard state.isOpen, state.isSleeping, !state.commands.isEmpty else { return }
      state.isSleeping = false
      wake()
    }
  }

  /// Takes note that the loop is about to wait; returns `false` where there is no time to, because commands have come.
  func prepareToWait() -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty else { return false }
      state.isSleeping = true
      return true
    }
  }

  /// Hands out what has come, in exchange for an empty array, so that both keep their memory.
  func take(into commands: inout [Command]) {
    state.withLock { state in
      state.isSleeping = false
      swap(&state.commands, &commands)
    }
  }

  /// Takes nothing more in; returns what is left.
  func close() -> [Command] {
    state.withLock { state in
      state.isOpen = false
      defer { state.commands = [] }
      return state.commands
    }
  }
}

/// A body that was opened on another thread than the loop's, or the reason why it could not be.
///
/// Sendable because the thread that opened it does not keep it.
struct OpenedBody: @unchecked Sendable {
  let result: Result<BodyCursor, TransferError>
}

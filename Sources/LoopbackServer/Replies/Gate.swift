import Locking

extension LoopbackServer {
  /// Holds answers back until it is opened, so that a test decides when and needs no delay.
  ///
  /// ```swift
  /// let gate = LoopbackServer.Gate()
  /// server.route("/slow") { _ in .text("done").held(until: gate) }
  /// // … a client asks, and the test looks at what it does while it waits …
  /// gate.open()
  /// ```
  ///
  /// A gate serves any number of answers, of several servers too, and stays open once opened.
  public final class Gate: Sendable {
    private struct State {
      var isOpen = false
      var lastToken = 0
      var waiting: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Lock(State())

    /// Makes a gate that is closed.
    public init() {}

    /// Whether the gate has been opened.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Lets all answers go that the gate holds, and those to come.
    public func open() {
      let waiting = state.withLock { state in
        state.isOpen = true
        defer { state.waiting = [:] }
        return state.waiting
      }
      for (_, resume) in waiting.sorted(by: { $0.key < $1.key }) { resume() }
    }

    /// Calls `resume` once the gate opens; returns `nil` and does not call where it is open.
    func wait(_ resume: @escaping @Sendable () -> Void) -> Int? {
      state.withLock { state in
        guard !state.isOpen else { return nil }
        state.lastToken += 1
        state.waiting[state.lastToken] = resume
        return state.lastToken
      }
    }

    func cancel(_ token: Int) {
      state.withLock { $0.waiting[token] = nil }
    }
  }
}

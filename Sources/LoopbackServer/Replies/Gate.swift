import ReactiveNetworkLock

extension LoopbackServer {
  /// Holds responses back until it is opened, so that a test controls the order of events without delays.
  ///
  /// ```swift
  /// let gate = LoopbackServer.Gate()
  /// server.route("/slow") { _ in .text("done").held(until: gate) }
  /// // … a client sends a request, and the test inspects it while it waits …
  /// gate.open()
  /// ```
  ///
  /// A gate can hold any number of responses, also of several servers, and stays open once opened.
  public final class Gate: Sendable, Hashable {
    private struct State {
      var isOpen = false
      var lastToken = 0
      var waiting: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Lock(State())

    /// Creates a closed gate.
    public init() {}

    /// `true` if the gate has been opened.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Releases all responses that the gate holds, and holds no others from then on.
    public func open() {
      let waiting = state.withLock { state in
        state.isOpen = true
        return exchange(&state.waiting, with: [:])
      }
      for (_, resume) in waiting.sorted(by: { $0.key < $1.key }) { resume() }
    }

    /// Whether both are the same gate.
    public static func == (left: Gate, right: Gate) -> Bool { left === right }

    /// Hashes the identity of the gate.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Calls `resume` when the gate opens; returns `nil`, without a call, if it is already open.
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

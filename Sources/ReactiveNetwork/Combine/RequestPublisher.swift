// Compiled with Combine in this package, and with OpenCombine in the package `Bridges`.
#if OPENCOMBINE
  import NetworkCore
  import OpenCombine
  import Synchronization
#elseif canImport(Combine)
  import Combine
  import NetworkCore
  import Synchronization
#endif

#if OPENCOMBINE || canImport(Combine)
  /// A publisher that starts its work at the first demand of each subscriber.
  struct RequestPublisher<Output: Sendable, Failure: Error>: Publisher {
    /// Starts the work, which calls `next` with each value and `end` with the error, or with `nil` for
    /// success.
    typealias Start =
      @Sendable (
        _ next: @escaping @Sendable (Output) -> Void, _ end: @escaping @Sendable (Failure?) -> Void
      ) -> any NetworkCore.Cancellable

    let start: Start

    func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      subscriber.receive(subscription: RequestSubscription(subscriber, start))
    }
  }

  /// The work of one subscriber.
  ///
  /// Without demand, only the latest value is kept: the values are progress, and the last one has the
  /// response. Success is delivered after that value, but an error at once.
  private final class RequestSubscription<Downstream: Subscriber>: Subscription, Sendable
  where Downstream.Input: Sendable {
    typealias Start = RequestPublisher<Downstream.Input, Downstream.Failure>.Start

    /// `@unchecked Sendable` for the same reason as the state.
    private enum Step: @unchecked Sendable {
      case value(Downstream.Input, Downstream)
      case end(Downstream.Failure?, Downstream)
    }

    /// `@unchecked Sendable` because it is accessed only under the lock, and one thread at a time calls the
    /// subscriber.
    private struct State: @unchecked Sendable {
      /// `nil` after the end or a cancellation.
      var downstream: Downstream?
      /// `nil` when the work has started.
      var start: Start?
      var work: (any NetworkCore.Cancellable)?
      var demand = Subscribers.Demand.none
      var latest: Downstream.Input?
      var isAtEnd = false
      var failure: Downstream.Failure?
      var isDelivering = false

      /// Returns the next step for the calling thread, or `nil`; must not be called while another thread
      /// delivers.
      mutating func next() -> Step? {
        isDelivering = false
        guard let downstream else { return nil }
        if failure == nil, let value = latest {
          guard demand > .none else { return nil }
          latest = nil
          demand -= 1
          isDelivering = true
          return .value(value, downstream)
        }
        guard isAtEnd else { return nil }
        self.downstream = nil
        latest = nil
        return .end(failure, downstream)
      }
    }

    // Not the project's `Lock`: no product of the package contains it, so `Bridges` cannot import it.
    private let state: Mutex<State>

    init(_ downstream: Downstream, _ start: @escaping Start) {
      state = Mutex(State(downstream: downstream, start: start))
    }

    func request(_ demand: Subscribers.Demand) {
      let start = state.withLock { state -> Start? in
        guard state.downstream != nil, demand > .none else { return nil }
        state.demand += demand
        return state.start.take()
      }
      if let start { store(start(receive, end)) }
      deliver()
    }

    func cancel() {
      // The values are released outside the lock, because that may run user code.
      let left = state.withLock { state in
        let left = state
        state.downstream = nil
        state.start = nil
        state.work = nil
        state.latest = nil
        return left
      }
      left.work?.cancel()
    }

    private func store(_ work: any NetworkCore.Cancellable) {
      let isCancelled = state.withLock { state in
        guard !state.isAtEnd, state.downstream != nil else { return !state.isAtEnd }
        state.work = work
        return false
      }
      if isCancelled { work.cancel() }
    }

    @Sendable private func receive(_ value: Downstream.Input) {
      // The replaced value is released outside the lock.
      _ = state.withLock { state -> Downstream.Input? in
        guard state.downstream != nil else { return nil }
        defer { state.latest = value }
        return state.latest
      }
      deliver()
    }

    @Sendable private func end(_ failure: Downstream.Failure?) {
      _ = state.withLock { state in
        state.isAtEnd = true
        state.failure = failure
        return state.work.take()
      }
      deliver()
    }

    private func deliver() {
      guard
        var step = state.withLock({ state in state.isDelivering ? nil : state.next() })
      else { return }
      while true {
        switch step {
        case .value(let value, let downstream):
          let more = downstream.receive(value)
          state.withLock { $0.demand += more }
        case .end(let failure, let downstream):
          downstream.receive(completion: failure.map { .failure($0) } ?? .finished)
        }
        guard let following = state.withLock({ $0.next() }) else { return }
        step = following
      }
    }
  }
#endif

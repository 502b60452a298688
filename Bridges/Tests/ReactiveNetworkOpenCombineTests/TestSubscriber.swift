#if OPENCOMBINE
  import Foundation
  import LoopbackServer
  import NetworkCore
  import OpenCombine

  /// A page of a server.
  struct Page: APITargetType {
    struct ClientErrorType: Decodable, Equatable {
      let message: String
    }

    let baseURL: URL
    let path: String
    var task = HTTPTask.requestPlain
    var method = HTTPMethod.get

    init(_ server: LoopbackServer, _ path: String) {
      baseURL = server.baseURL
      self.path = path
    }
  }

  /// A subscriber that requests values when a test calls `request(_:)`.
  ///
  /// Sendable because its state is protected by its lock.
  final class TestSubscriber<Input: Sendable, Failure: Error>: Subscriber, @unchecked Sendable {
    enum Event: Sendable {
      case value(Input)
      case finished
      case failed(Failure)
    }

    private let lock = NSLock()
    private var all: [Event] = []
    private var subscription: (any Subscription)?
    private var added: [Subscribers.Demand]
    private let arrivals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// - Parameter demands: the demands to return for the first values, in order; `.none` for later values.
    init(demands: [Subscribers.Demand] = []) {
      added = demands
      (arrivals, continuation) = AsyncStream.makeStream()
    }

    var events: [Event] { lock.withLock { all } }

    var hasEnded: Bool {
      if case .value? = events.last { return false }
      return !events.isEmpty
    }

    func receive(subscription: any Subscription) { lock.withLock { self.subscription = subscription } }

    func receive(_ input: Input) -> Subscribers.Demand {
      defer { continuation.yield() }
      return lock.withLock {
        all.append(.value(input))
        return added.isEmpty ? .none : added.removeFirst()
      }
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      lock.withLock {
        switch completion {
        case .finished: all.append(.finished)
        case .failure(let error): all.append(.failed(error))
        }
      }
      continuation.yield()
    }

    func request(_ demand: Subscribers.Demand) { lock.withLock { subscription }?.request(demand) }

    func cancel() { lock.withLock { subscription }?.cancel() }

    /// Suspends until the last event has arrived.
    func waitForEnd() async {
      guard !hasEnded else { return }
      for await _ in arrivals where hasEnded { return }
    }

    /// Suspends until `count` events have arrived.
    func wait(for count: Int) async {
      guard events.count < count else { return }
      for await _ in arrivals where events.count >= count { return }
    }
  }
#endif

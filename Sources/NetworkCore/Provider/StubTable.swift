import Locking

/// Answers for the targets of a test, kept outside of the targets.
///
/// ```swift
/// let stubs = StubTable<GitHub>()
/// stubs.add(path: "/zen", [.networkResponse(503, Data()), .networkResponse(200, Data("ok".utf8))])
/// let provider = NetworkProvider<GitHub>(interceptors: [RetryPolicy()], stubs: stubs)
/// ```
///
/// Each request, and each attempt of one that is retried, takes the next answer; the last one stays. Targets without an
/// entry are left to the provider's `stubClosure`. Entries may be added while requests run.
public final class StubTable<Target: TargetType>: Sendable {
  private final class Entry: Sendable {
    let matches: @Sendable (Target) -> Bool
    let behavior: StubBehavior
    private let answers: Lock<[EndpointSampleResponse]>

    init(
      _ matches: @escaping @Sendable (Target) -> Bool, _ behavior: StubBehavior,
      _ answers: [EndpointSampleResponse]
    ) {
      self.matches = matches
      self.behavior = behavior
      self.answers = Lock(answers)
    }

    /// The next answer, the last one over and over.
    func next() -> EndpointSampleResponse? {
      answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
    }
  }

  typealias Stub = (behavior: StubBehavior, sample: Endpoint.SampleResponseClosure)

  private let entries = Lock([Entry]())

  /// Makes an empty table.
  public init() {}

  /// Adds answers for some targets; of several entries for a target the last added counts.
  ///
  /// - Parameters:
  ///   - matches: whether the answers are for a target.
  ///   - answers: the answers in order; none takes the target's own sample.
  ///   - behavior: when they are given; with `.never` the targets go to the server.
  public func add(
    where matches: @escaping @Sendable (Target) -> Bool, _ answers: [EndpointSampleResponse],
    behavior: StubBehavior = .immediate
  ) {
    entries.withLock { $0.append(Entry(matches, behavior, answers)) }
  }

  /// Adds answers for targets with a method and a path.
  ///
  /// - Parameters:
  ///   - method: the targets' method; `nil` for any.
  ///   - path: the targets' path, exactly.
  ///   - answers: the answers in order; none takes the target's own sample.
  ///   - behavior: when they are given.
  public func add(
    _ method: HTTPMethod? = nil, path: String, _ answers: [EndpointSampleResponse],
    behavior: StubBehavior = .immediate
  ) {
    add(where: { $0.path == path && (method == nil || $0.method == method) }, answers, behavior: behavior)
  }

  /// Removes all entries.
  public func removeAll() {
    let removed = entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
    withExtendedLifetime(removed) {}
  }

  /// How a target is stubbed, and with what; `nil` where there is no entry for it.
  func stub(_ target: Target, endpoint: Endpoint) -> Stub? {
    // Asked outside the lock, since it is the user's code.
    guard let entry = entries.withLock({ $0 }).last(where: { $0.matches(target) }) else { return nil }
    return (entry.behavior, { entry.next() ?? endpoint.sampleResponseClosure() })
  }
}

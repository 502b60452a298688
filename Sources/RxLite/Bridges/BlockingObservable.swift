import ReactiveNetworkLock

/// A sequence whose methods block the calling thread until their result is available; see
/// `toBlocking(timeout:)`.
///
/// Each call makes a new subscription.
public struct BlockingObservable<Element> {
  let source: Observable<Element>
  let timeout: Double?
}

extension BlockingObservable {
  /// Waits for the end and returns all elements.
  public func toArray() throws -> [Element] {
    try collect().elements()
  }

  /// Waits for the first element and returns it, or `nil` if the sequence completes without an element.
  public func first() throws -> Element? {
    try collect(atMost: 1).elements().first
  }

  /// Waits for the end and returns the last element, or `nil` if there is none.
  public func last() throws -> Element? {
    try collect(keepsLast: true).elements().last
  }

  /// Waits for the end and returns the only element.
  ///
  /// - Returns: the element.
  /// - Throws: the error of the sequence, `RxError.noElements`, or `RxError.moreThanOneElement` as soon as a
  ///   second element arrives.
  public func single() throws -> Element {
    try single { _ in true }
  }

  /// Waits for the end and returns the only element that satisfies a predicate.
  ///
  /// - Parameter predicate: returns `true` for the element; called on the sending thread.
  /// - Returns: the element.
  /// - Throws: the error of the sequence, an error of `predicate`, `RxError.noElements`, or
  ///   `RxError.moreThanOneElement` as soon as a second such element arrives.
  @preconcurrency public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) throws
    -> Element
  {
    let elements = try collect(atMost: 2, where: predicate).elements()
    guard let element = elements.first else { throw RxError.noElements }
    guard elements.count == 1 else { throw RxError.moreThanOneElement }
    return element
  }

  /// Waits for the end and returns all elements and how the sequence ended.
  public func materialize() -> MaterializedSequenceResult<Element> {
    collect()
  }

  private func collect(
    atMost limit: Int = .max, keepsLast: Bool = false,
    where predicate: (@Sendable (Element) throws -> Bool)? = nil
  ) -> MaterializedSequenceResult<Element> {
    let state = Lock(BlockingState<Element>())
    let semaphore = RunLoopSemaphore()
    let subscription = SingleAssignmentDisposable()

    @Sendable func end(_ error: (any Error)?) {
      guard state.withLock({ $0.end(error) }) else { return }
      subscription.dispose()
      semaphore.signal()
    }

    Trampoline.runOutside {
      Trampoline.run {
        subscription.setDisposable(
          source.subscribe { event in
            switch event {
            case .next(let element):
              // A source that sends during its subscription cannot be disposed in time.
              if state.withLock({ $0.hasEnded }) { return }
              do {
                if let predicate, try !predicate(element) { return }
                let (isFull, _) = state.withLock { $0.add(element, limit: limit, keepsLast: keepsLast) }
                if isFull { end(nil) }
              } catch {
                end(error)
              }
            case .error(let error): end(error)
            case .completed: end(nil)
            }
          })
      }
      let wait = { if !semaphore.wait(seconds: timeout) { end(RxError.timeout) } }
      if state.withLock({ $0.hasEnded }) {
        wait()
      } else {
        do { try BlockingWaitHook.run(wait) } catch { end(error) }
      }
    }
    return state.withLock { $0.result }
  }
}

private struct BlockingState<Element> {
  private var elements: [Element] = []
  private var error: (any Error)?
  private(set) var hasEnded = false

  var result: MaterializedSequenceResult<Element> {
    error.map { .failed(elements: elements, error: $0) } ?? .completed(elements: elements)
  }

  /// Adds an element.
  ///
  /// Returns whether the limit is reached, and the replaced elements, which the caller releases outside the
  /// lock.
  mutating func add(_ element: Element, limit: Int, keepsLast: Bool) -> (isFull: Bool, replaced: [Element]) {
    guard !hasEnded, elements.count < limit else { return (false, []) }
    guard keepsLast else {
      elements.append(element)
      return (elements.count == limit, [])
    }
    defer { elements = [element] }
    return (false, elements)
  }

  /// Records the end; returns `true` if it is the first.
  mutating func end(_ error: (any Error)?) -> Bool {
    guard !hasEnded else { return false }
    hasEnded = true
    self.error = error
    return true
  }
}

extension MaterializedSequenceResult {
  fileprivate func elements() throws -> [Element] {
    switch self {
    case .completed(let elements): return elements
    case .failed(_, let error): throw error
    }
  }
}

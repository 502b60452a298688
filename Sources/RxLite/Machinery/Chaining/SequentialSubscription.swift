public import Synchronization

/// Subscribes to sequences one after the other; a closure decides how to continue after each stop event.
///
/// Elements are forwarded directly. The transitions between sequences run in a loop and never inside each
/// other, so that a million sequences that end at once need no deeper stack than one.
///
/// Sendable for the reasons beside the variables.
@usableFromInline
final class SequentialSubscription<Element>: Disposable, MessageRecipient, @unchecked Sendable {
  #if TRACE_RESOURCES
    @usableFromInline let trace = ResourceTrace()
  #endif

  // Called by one sequence at a time, as is `whenEnded`.
  @usableFromInline let observer: AnyObserver<Element>
  @usableFromInline let whenEnded: (SequentialSubscription<Element>, Event<Element>) -> Void
  // Used only in the serializer's turn; the current list is the last one.
  @usableFromInline var lists: [SequentialObservable<Element>.NextPart]
  // Written in the serializer's turn, and read by the sequence that ends, before the next turn.
  @usableFromInline var partSubscription: SingleAssignmentDisposable?
  @usableFromInline let continuesAfter: SequentialObservable<Element>.ContinuationTrigger?
  @usableFromInline let serializer = DeliverySerializer()
  @usableFromInline let hasEnded = Atomic(false)
  @usableFromInline let current = SerialDisposable()

  /// Creates the state of a subscription.
  ///
  /// - Parameters:
  ///   - observer: receives the elements and the stop event.
  ///   - nextPart: returns the sequences, one after the other.
  ///   - continuesAfter: a part that is a `SequentialObservable` with this value is replaced by its parts.
  ///   - whenEnded: receives the stop event of each sequence. It calls `subscribeToNext` or `end`, or
  ///     arranges for a later call.
  @inlinable init(
    _ observer: AnyObserver<Element>, _ nextPart: @escaping SequentialObservable<Element>.NextPart,
    continuesAfter: SequentialObservable<Element>.ContinuationTrigger? = nil,
    whenEnded: @escaping (SequentialSubscription<Element>, Event<Element>) -> Void
  ) {
    self.observer = observer
    self.continuesAfter = continuesAfter
    self.whenEnded = whenEnded
    lists = [nextPart]
  }

  /// Whether a thread is subscribing to a sequence.
  @usableFromInline var isInTransition: Bool { serializer.isDelivering }

  /// Disposes the sequence that has ended and subscribes to the next one; if there is none, ends with `end`.
  @inlinable func subscribeToNext(orElse end: Event<Element>) {
    serializer.send(end, to: self)
  }

  @inlinable func receive(_ end: Event<Element>) {
    if hasEnded.load(ordering: .relaxed) {
      lists = []
    } else if let part = nextPart() {
      subscribe(to: part)
    } else {
      self.end(end)
    }
  }

  /// Sends a stop event.
  ///
  /// Its consumer disposes the sequence that has ended.
  @inlinable func end(_ event: Event<Element>) {
    if !hasEnded.exchange(true, ordering: .relaxed) { observer.on(event) }
  }

  @inlinable func nextPart() -> Observable<Element>? {
    while let next = lists.last {
      let part = next()
      // Dropped before the subscription to the last part, because that part may itself have parts, and so on
      // without limit.
      if part?.isLast ?? true { lists.removeLast() }
      if let part { return part.sequence }
    }
    return nil
  }

  @inlinable func subscribe(to part: Observable<Element>) {
    let subscription = SingleAssignmentDisposable()
    current.disposable = subscription
    partSubscription = subscription
    part.runInTrampolineIfNeeded {
      guard let source = flatten(part) else { return }
      subscription.setDisposable(
        source.source(
          observer.calling { event in
            guard case .next = event else { return self.receiveEnd(event) }
            // A source that sends during its subscription cannot be disposed in time.
            if !self.hasEnded.load(ordering: .relaxed) { self.observer.on(event) }
          }))
    }
  }

  @inlinable func receiveEnd(_ event: Event<Element>) {
    // If the transition to the next sequence is queued, the thread that would execute it may still run this
    // one, which must end then.
    let running = isInTransition ? partSubscription : nil
    whenEnded(self, event)
    running?.dispose()
  }

  /// Flattens a part: sends its leading elements, and adds the lists of the parts that it begins with.
  ///
  /// - Returns: the sequence to subscribe to; `nil` if there is none or the subscription has ended.
  @inlinable func flatten(_ part: Observable<Element>) -> Observable<Element>? {
    guard let continuesAfter else { return part }
    var part = part
    while true {
      let resolved = part.resolved {
        observer.on(.next($0))
        return !hasEnded.load(ordering: .relaxed)
      }
      guard let nested = resolved as? SequentialObservable<Element>, nested.continuesAfter == continuesAfter
      else {
        return resolved
      }
      let nextNested = nested.parts.make()
      if let first = nextNested() {
        if !first.isLast { lists.append(nextNested) }
        #if DEBUG || TRACE_RESOURCES
          recordNestingDepth(lists.count)
        #endif
        part = first.sequence
      } else if continuesAfter == .completion, let next = nextPart() {
        part = next
      } else {
        // A list without parts completes.
        end(.completed)
        return nil
      }
    }
  }

  @usableFromInline func dispose() {
    hasEnded.store(true, ordering: .relaxed)
    current.dispose()
    // Releases the lists, because the observer of a disposed sequence may be kept alive.
    subscribeToNext(orElse: .completed)
  }
}

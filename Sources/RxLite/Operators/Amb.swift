public import Synchronization

extension ObservableType {
  /// Follows the sequence that sends an event first; the other is disposed before that event is delivered.
  @inlinable public func amb<O2: ObservableType>(_ right: O2) -> Observable<Element>
  where O2.Element == Element {
    .amb([asObservable(), right.asObservable()])
  }

  /// Follows the first of several sequences to send an event.
  ///
  /// - Parameter sequence: the sequences, subscribed to in this order. All others are disposed before the
  ///   first event is delivered. If a sequence sends during its subscription, the later ones are still
  ///   subscribed to and then disposed at once. If the list is empty, no event is sent.
  /// - Returns: the events of the first sequence.
  @inlinable public static func amb<Sequence: Swift.Sequence>(
    _ sequence: Sequence
  ) -> Observable<Element> where Sequence.Element == Observable<Element> {
    let sources = Array(sequence)
    return Observable { observer in
      let ambState = AmbState(sources.count)
      for (index, source) in sources.enumerated() {
        ambState.subscriptions[index].setDisposable(
          source.source(observer.calling { event in if ambState.isWon(by: index) { observer.on(event) } }))
      }
      return ambState
    }
  }
}

/// Selects the first of several subscriptions that sends an event, and disposes the others.
@usableFromInline final class AmbState: Disposable {
  @usableFromInline let winner = Atomic(-1)
  @usableFromInline let subscriptions: [SingleAssignmentDisposable]

  @usableFromInline init(_ count: Int) {
    subscriptions = (0..<count).map { _ in SingleAssignmentDisposable() }
  }

  /// Returns `true` if the competitor has already won, or wins now because it is the first to call this
  /// method.
  @inlinable func isWon(by competitor: Int) -> Bool {
    let current = winner.load(ordering: .acquiring)
    return current == competitor || (current < 0 && win(competitor))
  }

  @usableFromInline func win(_ competitor: Int) -> Bool {
    guard
      winner.compareExchange(expected: -1, desired: competitor, ordering: .acquiringAndReleasing).exchanged
    else { return false }
    for (index, subscription) in subscriptions.enumerated() where index != competitor {
      subscription.dispose()
    }
    return true
  }

  @usableFromInline func dispose() {
    for subscription in subscriptions { subscription.dispose() }
  }
}

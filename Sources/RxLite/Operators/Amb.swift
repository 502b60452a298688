public import Synchronization

extension ObservableType {
  /// Follows whichever of two sequences sends an event first; the other is disposed before that event is delivered.
  @inlinable public func amb<O2: ObservableType>(_ right: O2) -> Observable<Element>
  where O2.Element == Element {
    .amb([asObservable(), right.asObservable()])
  }

  /// Follows whichever of several sequences sends an event first.
  ///
  /// - Parameter sequence: the sequences, subscribed in this order; all others are disposed before the winner's first event is delivered.
  ///   Without any, nothing is ever sent.
  /// - Returns: the events of the winner.
  @inlinable public static func amb<Sequence: Swift.Sequence>(
    _ sequence: Sequence
  ) -> Observable<Element> where Sequence.Element == Observable<Element> {
    let sources = Array(sequence)
    return Observable { observer in
      let contest = Contest(sources.count)
      for (index, source) in sources.enumerated() {
        contest.subscriptions[index].setDisposable(
          source.source(AnyObserver { event in if contest.isWon(by: index) { observer.on(event) } }))
      }
      return contest
    }
  }
}

/// Lets the first of several win and disposes the others.
@usableFromInline final class Contest: Disposable {
  @usableFromInline let winner = Atomic(-1)
  @usableFromInline let subscriptions: [SingleAssignmentDisposable]

  @usableFromInline init(_ count: Int) {
    subscriptions = (0..<count).map { _ in SingleAssignmentDisposable() }
  }

  /// Whether the competitor has won: before, or just now by being the first to ask.
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

/// A sequence that subscribes to other sequences one after the other.
///
/// A part that is a sequential observable of the same kind needs no separate subscription state: the state of
/// the outer one keeps both lists. A list is dropped before the subscription to its last part, so sequential
/// observables that end in another one can be nested without limit.
@usableFromInline final class SequentialObservable<Element>: Observable<Element>, @unchecked Sendable {
  // Sendable, like every sequence.

  /// The stop event that leads to the next part; the other stop event ends the sequence.
  @usableFromInline enum ContinuationTrigger: Sendable {
    case completion
    case failure
  }

  /// Returns the next part of a list, and whether it is known to be the last.
  @usableFromInline typealias NextPart = () -> (sequence: Observable<Element>, isLast: Bool)?

  @usableFromInline let continuesAfter: ContinuationTrigger
  @usableFromInline let parts: SequentialParts<Element>

  @inlinable init(
    continuingAfter continuesAfter: ContinuationTrigger, _ makeNextPart: @escaping () -> NextPart
  ) {
    self.continuesAfter = continuesAfter
    let parts = SequentialParts(makeNextPart)
    self.parts = parts
    super.init { observer in
      let subscription = SequentialSubscription(
        observer, parts.make(), continuesAfter: continuesAfter
      ) { subscription, event in
        switch (event, continuesAfter) {
        case (.completed, .completion), (.error, .failure): subscription.subscribeToNext(orElse: event)
        default: subscription.end(event)
        }
      }
      subscription.subscribeToNext(orElse: .completed)
      return subscription
    }
  }

  /// Returns an observable of the elements of a sequence, which does not know in advance which one is the
  /// last.
  @inlinable static func sequence<Sequences: Sequence>(
    _ sequences: Sequences, continuingAfter continuesAfter: ContinuationTrigger
  ) -> SequentialObservable<Element> where Sequences.Element == Observable<Element> {
    SequentialObservable(continuingAfter: continuesAfter) {
      var remaining = sequences.makeIterator()
      return { remaining.next().map { ($0, false) } }
    }
  }

  /// Returns an observable of the elements of a collection.
  @inlinable static func collection<Sequences: Collection>(
    _ sequences: Sequences, continuingAfter continuesAfter: ContinuationTrigger
  ) -> SequentialObservable<Element> where Sequences.Element == Observable<Element> {
    SequentialObservable(continuingAfter: continuesAfter) {
      var index = sequences.startIndex
      return {
        guard index != sequences.endIndex else { return nil }
        let sequence = sequences[index]
        sequences.formIndex(after: &index)
        return (sequence, index == sequences.endIndex)
      }
    }
  }
}

/// The parts of a sequential observable.
///
/// Nested parts are released in a loop.
@usableFromInline final class SequentialParts<Element> {
  @usableFromInline var makeNextPart: (() -> SequentialObservable<Element>.NextPart)?

  @inlinable init(_ makeNextPart: @escaping () -> SequentialObservable<Element>.NextPart) {
    self.makeNextPart = makeNextPart
  }

  /// Returns the parts for one subscription.
  @inlinable func make() -> SequentialObservable<Element>.NextPart {
    makeNextPart?() ?? { nil }
  }

  @usableFromInline deinit {
    Trampoline.release({ makeNextPart = nil }, orKeep: { makeNextPart.take() as Any })
  }
}

public import Synchronization

/// A sequence that follows other sequences one after the other.
///
/// A part that is a chain of the same kind needs no separate subscription state: the state of the outer chain
/// keeps both lists. A list is dropped before its last part is followed, so chains that end in another chain
/// can be nested without limit.
@usableFromInline final class Chain<Element>: Observable<Element>, @unchecked Sendable {
  // Sendable, like every sequence.

  /// The stop event that leads to the next part; the other stop event ends the chain.
  @usableFromInline enum ContinuesAfter: Sendable {
    case completion
    case failure
  }

  /// Returns the next part of a list, and whether it is known to be the last.
  @usableFromInline typealias NextPart = () -> (sequence: Observable<Element>, isLast: Bool)?

  @usableFromInline let continuesAfter: ContinuesAfter
  @usableFromInline let parts: ChainParts<Element>

  @inlinable init(continuingAfter continuesAfter: ContinuesAfter, _ makeNextPart: @escaping () -> NextPart) {
    self.continuesAfter = continuesAfter
    let parts = ChainParts(makeNextPart)
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

  /// Returns a chain of the elements of a sequence, which does not know in advance which one is the last.
  @inlinable static func sequence<Sequences: Sequence>(
    _ sequences: Sequences, continuingAfter continuesAfter: ContinuesAfter
  ) -> Chain<Element> where Sequences.Element == Observable<Element> {
    Chain(continuingAfter: continuesAfter) {
      var remaining = sequences.makeIterator()
      return { remaining.next().map { ($0, false) } }
    }
  }

  /// Returns a chain of the elements of a collection.
  @inlinable static func collection<Sequences: Collection>(
    _ sequences: Sequences, continuingAfter continuesAfter: ContinuesAfter
  ) -> Chain<Element> where Sequences.Element == Observable<Element> {
    Chain(continuingAfter: continuesAfter) {
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

/// The parts of a chain.
///
/// Nested chains are released in a loop.
@usableFromInline final class ChainParts<Element>: @unchecked Sendable {
  // Sendable as the chain is.
  @usableFromInline var makeNextPart: (() -> Chain<Element>.NextPart)?

  @inlinable init(_ makeNextPart: @escaping () -> Chain<Element>.NextPart) {
    self.makeNextPart = makeNextPart
  }

  /// Returns the parts for one subscription.
  @inlinable func make() -> Chain<Element>.NextPart {
    makeNextPart?() ?? { nil }
  }

  @usableFromInline deinit {
    Trampoline.release({ makeNextPart = nil }, orKeep: { makeNextPart.take() as Any })
  }
}

/// The largest number of lists of nested chains that one subscription has kept in this process.
@usableFromInline let deepestChain = Atomic(0)

@usableFromInline func noteDepth(_ depth: Int) {
  deepestChain.max(depth, ordering: .relaxed)
}

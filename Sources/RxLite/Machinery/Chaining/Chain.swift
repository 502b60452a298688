public import Synchronization

/// A sequence that follows other sequences one after the other.
///
/// A part that is a chain of the same kind needs no separate subscription state: the state of the outer chain
/// keeps both lists. A list is dropped before its last part is followed, so chains that end in another chain
/// can be nested without limit.
@usableFromInline final class Chain<Element>: Observable<Element>, @unchecked Sendable {
  // Sendable as every sequence is.

  /// The stop event that leads to the next part; the other stop event ends the chain.
  @usableFromInline enum Link: Sendable {
    case completion
    case failure
  }

  /// Returns the next part of a list, and whether it is known to be the last.
  @usableFromInline typealias Parts = () -> (sequence: Observable<Element>, isLast: Bool)?

  @usableFromInline let link: Link
  @usableFromInline let parts: ChainParts<Element>

  @inlinable init(by link: Link, _ makeParts: @escaping () -> Parts) {
    self.link = link
    let parts = ChainParts(makeParts)
    self.parts = parts
    super.init { observer in
      let subscription = SequentialSubscription(observer, parts.make(), link: link) { subscription, event in
        switch (event, link) {
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
    _ sequences: Sequences, by link: Link
  ) -> Chain<Element> where Sequences.Element == Observable<Element> {
    Chain(by: link) {
      var remaining = sequences.makeIterator()
      return { remaining.next().map { ($0, false) } }
    }
  }

  /// Returns a chain of the elements of a collection.
  @inlinable static func collection<Sequences: Collection>(
    _ sequences: Sequences, by link: Link
  ) -> Chain<Element> where Sequences.Element == Observable<Element> {
    Chain(by: link) {
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
  @usableFromInline var makeParts: (() -> Chain<Element>.Parts)?

  @inlinable init(_ makeParts: @escaping () -> Chain<Element>.Parts) {
    self.makeParts = makeParts
  }

  /// Returns the parts for one subscription.
  @inlinable func make() -> Chain<Element>.Parts {
    makeParts?() ?? { nil }
  }

  @usableFromInline deinit {
    Trampoline.release({ makeParts = nil }, orKeep: { makeParts.take() as Any })
  }
}

/// The largest number of lists of nested chains that one subscription has kept in this process.
@usableFromInline let deepestChain = Atomic(0)

@usableFromInline func noteDepth(_ depth: Int) {
  deepestChain.max(depth, ordering: .relaxed)
}

public import Synchronization

/// A sequence made of others, one after the other.
///
/// A part that is a chain of the same kind needs no relay of its own: whoever follows the outer one keeps both lists. A
/// list of which nothing is left is dropped before its last part is followed, so a chain may end in another one without end.
@usableFromInline final class Chain<Element>: Observable<Element>, @unchecked Sendable {
  // Sendable as every sequence is.

  /// What leads on to the next part; the other stop event is the end.
  @usableFromInline enum Link: Sendable {
    case completion
    case failure
  }

  /// What is left of a list: each call takes the next part, and tells whether it is known to be the last.
  @usableFromInline typealias Parts = () -> (sequence: Observable<Element>, isLast: Bool)?

  @usableFromInline let link: Link
  @usableFromInline let parts: ChainParts<Element>

  @inlinable init(by link: Link, _ makeParts: @escaping () -> Parts) {
    self.link = link
    let parts = ChainParts(makeParts)
    self.parts = parts
    super.init { observer in
      let relay = Relay(observer, parts.make(), link: link) { relay, event in
        switch (event, link) {
        case (.completed, .completion), (.error, .failure): relay.moveOn(orElse: event)
        default: relay.end(event)
        }
      }
      relay.moveOn(orElse: .completed)
      return relay
    }
  }

  /// A chain of the elements of a sequence; that one is the last shows only when no other follows.
  @inlinable static func sequence<Sequences: Sequence>(
    _ sequences: Sequences, by link: Link
  ) -> Chain<Element> where Sequences.Element == Observable<Element> {
    Chain(by: link) {
      var remaining = sequences.makeIterator()
      return { remaining.next().map { ($0, false) } }
    }
  }

  /// A chain of the elements of a collection.
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

/// The parts of a chain, which may be chains whose parts are chains: they are released in a loop.
@usableFromInline final class ChainParts<Element>: @unchecked Sendable {
  // Sendable as the chain is.
  @usableFromInline var makeParts: (() -> Chain<Element>.Parts)?

  @inlinable init(_ makeParts: @escaping () -> Chain<Element>.Parts) {
    self.makeParts = makeParts
  }

  /// The parts, for one subscription.
  @inlinable func make() -> Chain<Element>.Parts {
    makeParts?() ?? { nil }
  }

  @usableFromInline deinit {
    Trampoline.release({ makeParts = nil }, orKeep: { makeParts.take() as Any })
  }
}

/// How many lists of nested chains one relay has kept, at most, in all of the process.
@usableFromInline let deepestChain = Atomic(0)

@usableFromInline func noteDepth(_ depth: Int) {
  deepestChain.max(depth, ordering: .relaxed)
}

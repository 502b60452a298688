/// A sequence that guarantees its number of elements; `Trait` names the guarantee.
public struct PrimitiveSequence<Trait, Element> {
  @usableFromInline let source: Observable<Element>

  /// Creates a sequence from an observable that already keeps the guarantee.
  @inlinable init(raw: Observable<Element>) {
    source = raw
  }
}

// Sendable for the same reason as `Observable`, and likewise not conditional on the element.
extension PrimitiveSequence: Sendable {}

/// The protocol of all primitive sequences, which the operators of each trait extend.
public protocol PrimitiveSequenceType {
  /// The trait, which names the guarantee.
  associatedtype Trait
  /// The type of the elements.
  associatedtype Element

  /// The sequence itself.
  var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

extension PrimitiveSequence: PrimitiveSequenceType {
  /// The sequence itself.
  @inlinable public var primitiveSequence: PrimitiveSequence<Trait, Element> { self }
}

extension PrimitiveSequence: ObservableConvertibleType {
  /// Returns the sequence as an `Observable`.
  @inlinable public func asObservable() -> Observable<Element> {
    source
  }
}

/// A sequence that promises how many elements it has; `Trait` names the promise.
public struct PrimitiveSequence<Trait, Element> {
  @usableFromInline let source: Observable<Element>

  /// `raw` keeps the promise already.
  @inlinable init(raw: Observable<Element>) {
    source = raw
  }
}

// As `Observable` is, and for the same reason not conditional on the element.
extension PrimitiveSequence: Sendable {}

/// What every primitive sequence is; operators of one trait are defined on it.
public protocol PrimitiveSequenceType {
  /// Names what the sequence promises.
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
  /// The sequence without its promise.
  @inlinable public func asObservable() -> Observable<Element> {
    source
  }
}

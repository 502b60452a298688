/// A sequence that cannot fail: it completes or never ends.
///
/// ```swift
/// let subscription = Infallible.of(1, 2, 3)
///   .map { $0 * 2 }
///   .subscribe(onNext: { print($0) })
/// ```
public struct Infallible<Element>: InfallibleType {
  @usableFromInline let source: Observable<Element>

  /// Creates an infallible from a source that does not fail.
  @inlinable init(_ source: Observable<Element>) {
    self.source = source
  }

  /// Returns the sequence as an `Observable`.
  @inlinable public func asObservable() -> Observable<Element> {
    source
  }
}

// Sendable for the same reason as `Observable`, and likewise not conditional on the element.
extension Infallible: Sendable {}

/// A sequence that cannot fail; the operators of `Infallible` are defined on it.
public protocol InfallibleType<Element>: ObservableConvertibleType {}

/// One event of a sequence that cannot fail.
@frozen public enum InfallibleEvent<Element> {
  /// The next element.
  case next(Element)
  /// The sequence ended; nothing follows.
  case completed
}

extension InfallibleEvent: Sendable where Element: Sendable {}

extension InfallibleEvent: EventConvertible {
  /// The same event as an `Event`.
  @inlinable public var event: Event<Element> {
    switch self {
    case .next(let element): .next(element)
    case .completed: .completed
    }
  }
}

/// A sequence that cannot fail: it goes on for ever or completes.
///
/// ```swift
/// let subscription = Infallible.of(1, 2, 3)
///   .map { $0 * 2 }
///   .subscribe(onNext: { print($0) })
/// ```
public struct Infallible<Element>: InfallibleType {
  @usableFromInline let source: Observable<Element>

  /// `source` does not fail.
  @inlinable init(_ source: Observable<Element>) {
    self.source = source
  }

  /// The sequence without its promise.
  @inlinable public func asObservable() -> Observable<Element> {
    source
  }
}

// As `Observable` is, and for the same reason not conditional on the element.
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
  /// The same event of a sequence that can fail.
  @inlinable public var event: Event<Element> {
    switch self {
    case .next(let element): .next(element)
    case .completed: .completed
    }
  }
}

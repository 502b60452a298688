/// A type that can be converted to an observable sequence.
public protocol ObservableConvertibleType<Element> {
  /// The type of the sequence's elements.
  associatedtype Element

  /// Returns the sequence.
  func asObservable() -> Observable<Element>
}

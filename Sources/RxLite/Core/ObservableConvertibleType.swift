/// A type that can be seen as an observable sequence.
public protocol ObservableConvertibleType<Element> {
  /// The type of the sequence's elements.
  associatedtype Element

  /// The sequence.
  func asObservable() -> Observable<Element>
}

/// A sequence that is an observer at the same time: what it receives it sends to its own observers.
public protocol SubjectType: ObservableType {
  /// The type of the observer it can be seen as.
  associatedtype Observer: ObserverType

  /// The subject as an observer.
  func asObserver() -> Observer
}

/// A sequence that is also an observer: it sends the events that it receives to its own observers.
public protocol SubjectType: ObservableType {
  /// The type of the subject as an observer.
  associatedtype Observer: ObserverType

  /// Returns the subject as an observer.
  func asObserver() -> Observer
}

/// A sequence that delivers only while it is connected to its source, to all observers at once.
public protocol ConnectableObservableType<Element>: ObservableType {
  /// Subscribes to the source.
  ///
  /// - Returns: disposing it disconnects; where there is a connection already, that one is returned.
  func connect() -> any Disposable
}

/// What `publish()`, `replay(_:)` and `multicast(_:)` make.
///
/// Observers may come before and after `connect()`; when the source ends or the connection is disposed, the next
/// observer finds a new subject, to be connected anew.
///
/// ```swift
/// let clock = Observable<Int>.interval(.seconds(1), scheduler: scheduler).publish()
/// let first = clock.subscribe(onNext: { print("first", $0) })
/// let second = clock.subscribe(onNext: { print("second", $0) })
/// let connection = clock.connect()
/// ```
public final class ConnectableObservable<Element>: Observable<Element>, ConnectableObservableType,
  @unchecked Sendable
{
  // Sendable as every sequence is.
  private let connector: () -> any Disposable

  init(source: @escaping Source, connector: @escaping () -> any Disposable) {
    self.connector = connector
    super.init(source: source)
  }

  @usableFromInline override var opensTrampoline: Bool { false }

  /// Subscribes to the source.
  ///
  /// - Returns: disposing it disconnects; where there is a connection already, that one is returned.
  public func connect() -> any Disposable {
    connector()
  }
}

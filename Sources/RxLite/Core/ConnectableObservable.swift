/// A sequence that delivers to its observers only while it is connected to its source.
public protocol ConnectableObservableType<Element>: ObservableType {
  /// Subscribes to the source.
  ///
  /// - Returns: the connection, or the existing one if the sequence is already connected. Disposing it
  ///   disconnects.
  func connect() -> any Disposable
}

/// The result of `publish()`, `replay(_:)` and `multicast(_:)`.
///
/// Observers may subscribe before and after `connect()`. After the source has ended or the connection was
/// disposed, a new observer joins a new connection, which needs another call of `connect()`.
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
  // Sendable, like every sequence.
  /// Adds an observer for `refCount()`.
  @usableFromInline let addCounted: Source
  /// Connects in the context of the subscription that alone uses the connection.
  @usableFromInline let openConnection: (_ context: SubscriptionContext?) -> any Disposable

  @inlinable init<Input>(_ shared: SharedSource<Input, Element>) {
    addCounted = shared.addCounted
    openConnection = shared.connect
    super.init(needsTrampoline: false, source: shared.add)
  }

  /// Subscribes to the source.
  ///
  /// - Returns: the connection, or the existing one if the sequence is already connected. Disposing it
  ///   disconnects.
  public func connect() -> any Disposable {
    openConnection(nil)
  }
}

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
  /// Returns the connection that the next observer joins, which may not be open yet.
  let currentConnection: () -> any MulticastConnection<Element>

  init(currentConnection: @escaping () -> any MulticastConnection<Element>) {
    self.currentConnection = currentConnection
    super.init(source: { currentConnection().add($0) })
  }

  @usableFromInline override var needsTrampoline: Bool { false }

  /// Subscribes to the source.
  ///
  /// - Returns: the connection, or the existing one if the sequence is already connected. Disposing it
  ///   disconnects.
  public func connect() -> any Disposable {
    connect(in: nil)
  }

  /// Subscribes to the source.
  ///
  /// - Parameter context: the context of the subscription that alone uses the connection; `nil` if there is
  ///   none.
  /// - Returns: the connection.
  func connect(in context: SubscriptionContext?) -> any Disposable {
    let connection = currentConnection()
    connection.open(in: context)
    return connection
  }
}

/// A connection of a connectable sequence and its observers, which may subscribe before it is opened.
protocol MulticastConnection<Element>: AnyObject, Disposable {
  associatedtype Element

  /// `true` if its observers will get no further event, not even a stop event.
  var isDisconnected: Bool { get }

  /// Adds an observer.
  func add(_ observer: AnyObserver<Element>) -> any Disposable

  /// Returns the context of the source for all its observers.
  ///
  /// - Parameter starter: the context of the observer that starts the source.
  /// - Returns: the context; `nil` if the source takes none.
  /// - Throws: the error of that observer, if it must not start the source.
  func contextOfSource(startedBy starter: SubscriptionContext?) throws -> SubscriptionContext?

  /// Subscribes to the source in a context, unless this was done before or the connection has ended.
  ///
  /// - Parameter context: the context; `nil` for one that records the effects for all observers.
  func open(in context: SubscriptionContext?)

  /// Detaches the connection, so that the next observer starts a new one; the caller disposes it afterwards.
  ///
  /// Runs no user code, so that it may be called under a lock.
  func detach()
}

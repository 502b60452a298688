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
  /// The connection that the next observer joins, whether it is made already or not.
  let currentConnection: () -> any Connection<Element>

  init(currentConnection: @escaping () -> any Connection<Element>) {
    self.currentConnection = currentConnection
    super.init(source: { currentConnection().add($0) })
  }

  @usableFromInline override var opensTrampoline: Bool { false }

  /// Subscribes to the source.
  ///
  /// - Returns: disposing it disconnects; where there is a connection already, that one is returned.
  public func connect() -> any Disposable {
    let connection = currentConnection()
    connection.open()
    return connection
  }
}

/// One connection of a connectable sequence and the observers it feeds, who may come before it is made.
protocol Connection<Element>: AnyObject, Disposable {
  associatedtype Element

  /// Whether its observers will get nothing more, not even a stop event.
  var isDisconnected: Bool { get }

  /// Adds an observer.
  func add(_ observer: AnyObserver<Element>) -> any Disposable

  /// Subscribes to the source, unless that was done or the connection is over.
  func open()

  /// Lets the next observer begin anew; what is left is to dispose it. Runs no foreign code, so also under a lock.
  func detach()
}

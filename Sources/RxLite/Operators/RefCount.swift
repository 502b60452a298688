extension ConnectableObservableType {
  /// Connects when the first observer subscribes and disconnects when the last one is disposed.
  ///
  /// After the source has ended, the next observer connects again. The first observer subscribes before the
  /// connection is made. An observer that subscribes while a connection ends gets either its stop event or a
  /// new connection. A connectable sequence of a custom type is connected and disconnected by one thread at a
  /// time: an observer that subscribes while a connection is being disposed is connected afterwards, by the
  /// disposing thread.
  ///
  /// All results of this method for one sequence of the library share its connection, and count together.
  ///
  /// - Returns: the shared sequence.
  public func refCount() -> Observable<Element> {
    if let connectable = self as? ConnectableObservable<Element> {
      return Observable(source: connectable.addCounted)
    }
    let connector = CustomConnector(self.connect)
    let source = Observable<Never>(needsTrampoline: false, source: { _ in connector.open() })
    let observed = asObservable().source
    let shared = SharedSource(source, isForeign: true) { SharedSubject(add: observed) { _ in } }
    return Observable(source: shared.addCounted)
  }
}

/// Connects a connectable sequence of a custom type, and disconnects it, one connection at a time.
///
/// Its `connect()` may return the existing connection. So a connection that is opened before the former one is
/// disposed would share the former one and end with it.
///
/// It uses `latest` and calls `connect` in the serializer's turn.
private final class CustomConnector: MessageRecipient {
  final class Connection: Sendable {
    let isReleased = AtomicFlag()
    let content = SingleAssignmentDisposable()
  }

  private let connect: () -> any Disposable
  private let serializer = DeliverySerializer()
  private var latest: Connection?

  init(_ connect: @escaping () -> any Disposable) {
    self.connect = connect
  }

  func open() -> any Disposable {
    let connection = Connection()
    serializer.send(connection, to: self)
    return AnonymousDisposable {
      connection.isReleased.set()
      self.serializer.send(connection, to: self)
    }
  }

  /// Opens a new connection, or disposes one that was released.
  func receive(_ connection: Connection) {
    guard connection.isReleased.isSet else {
      // It is being released, because it has a successor, but that message may still be under way.
      latest?.content.dispose()
      latest = connection
      return connection.content.setDisposable(connect())
    }
    if latest === connection { latest = nil }
    connection.content.dispose()
  }
}

import Synchronization

extension ObservableType {
  /// Creates a sequence from a closure that is called for each subscription.
  ///
  /// ```swift
  /// let pair = Observable<Int>.create { observer in
  ///   observer.onNext(1)
  ///   observer.onNext(2)
  ///   observer.onCompleted()
  ///   return Disposables.create()
  /// }
  /// ```
  ///
  /// - Parameter subscribe: starts the work and reports to the observer that it receives. The observer may be
  ///   called from any thread and from several threads at once: events are delivered one at a time, and none
  ///   after a stop event or after disposal. The returned disposable is disposed with the subscription, or
  ///   after the stop event.
  /// - Returns: the sequence.
  @preconcurrency @inlinable public static func create(
    _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
  ) -> Observable<Element> {
    creating(subscribe)
  }

  /// `create` with a closure of the library, which may capture values that are not `Sendable`.
  @inlinable @inline(__always) package static func creating(
    _ subscribe: @escaping (AnyObserver<Element>) -> any Disposable
  ) -> Observable<Element> {
    Observable { observer in
      let serialized = SerializedObserver(observer)
      serialized.assign(subscribe(observer.calling(serialized.on)))
      return serialized
    }
  }
}

/// Receives the events that user code sends, and enforces the Rx grammar on them.
///
/// User code may keep the observer that it was handed. So a disposal releases the observer downstream, and
/// with it everything that operators hold.
@usableFromInline
final class SerializedObserver<Element>: SerializedOutput<Element>, MessageRecipient, @unchecked Sendable {
  @inlinable override init(_ observer: AnyObserver<Element>) {
    super.init(observer)
  }

  @inlinable func on(_ event: Event<Element>) {
    if !hasEnded { send(event) }
  }

  @usableFromInline override func dispose() {
    // An exchange, as in `finishTurn`. If that one came first, this thread sees that the turn had begun, and
    // `whileIdle` makes the delivering thread call it again.
    _ = ended.exchange(true, ordering: .acquiringAndReleasing)
    disposeContent()
    // Released here and not while senders wait, because that may run user code.
    _ = serializer.whileIdle { observer.take() }
  }

  @usableFromInline func finishTurn() {
    if ended.logicalOr(false, ordering: .acquiringAndReleasing).newValue { _ = observer.take() }
  }
}

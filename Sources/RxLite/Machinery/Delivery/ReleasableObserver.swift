/// The observer of an operator, which the operator can release while user code keeps the operator.
///
/// A call borrows it, because it cannot be copied. The closure of a variable that can be copied would be
/// retained and released at each event.
@usableFromInline struct ReleasableObserver<Element>: ~Copyable {
  @usableFromInline var observer: AnyObserver<Element>

  @inlinable init(_ observer: AnyObserver<Element>) {
    self.observer = observer
  }

  @inlinable @inline(__always) borrowing func on(_ event: Event<Element>) {
    observer.on(event)
  }

  /// Creates the observer of a source upstream, with the same context.
  @inlinable @inline(__always) borrowing func calling<Upstream>(
    _ handler: @escaping (Event<Upstream>) -> Void
  ) -> AnyObserver<Upstream> {
    observer.calling(handler)
  }

  /// Leaves an observer that ignores all events, and returns the former one, which the caller releases.
  mutating func take() -> AnyObserver<Element> {
    exchange(&observer, with: AnyObserver(handler: { _ in }))
  }
}

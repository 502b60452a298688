public import ReactiveNetworkLock

/// A namespace of functions that create disposables.
public struct Disposables {
  private init() {}

  /// Returns a disposable that does nothing.
  @inlinable public static func create() -> any Disposable {
    NopDisposable.instance
  }

  /// Returns a disposable that runs an action once.
  ///
  /// - Parameter dispose: the action; released after it has run.
  /// - Returns: the disposable.
  @preconcurrency @inlinable public static func create(
    with dispose: @escaping @Sendable () -> Void
  ) -> any Cancelable {
    AnonymousDisposable(dispose)
  }

  /// Returns a disposable that disposes others, in the order given.
  @inlinable public static func create(
    _ first: any Disposable, _ second: any Disposable
  ) -> any Cancelable {
    BinaryDisposable(first, second)
  }

  /// Returns a disposable that disposes others, in the order given.
  public static func create(
    _ first: any Disposable, _ second: any Disposable, _ third: any Disposable
  ) -> any Cancelable {
    CompositeDisposable(first, second, third)
  }

  /// Returns a disposable that disposes others, in the order given.
  public static func create(
    _ first: any Disposable, _ second: any Disposable, _ third: any Disposable, _ others: any Disposable...
  ) -> any Cancelable {
    CompositeDisposable(disposables: [first, second, third] + others)
  }

  /// Returns a disposable that disposes others, in the order given.
  public static func create(_ disposables: [any Disposable]) -> any Cancelable {
    CompositeDisposable(disposables: disposables)
  }
}

@usableFromInline struct NopDisposable: Disposable {
  @usableFromInline static let instance: any Disposable = NopDisposable()

  @inlinable init() {}

  @inlinable func dispose() {}
}

@usableFromInline final class AnonymousDisposable: Cancelable {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  // A closure alone would gain a thunk each time it passes through the lock.
  private struct Action {
    let run: () -> Void
  }

  private let action: Lock<Action?>

  @usableFromInline init(_ action: @escaping () -> Void) {
    self.action = Lock(Action(run: action))
  }

  @usableFromInline var isDisposed: Bool { action.withLock { $0 == nil } }

  @usableFromInline func dispose() {
    action.withLock { $0.take() }?.run()
  }
}

/// Two disposables, the most common group, without the bookkeeping of `CompositeDisposable`.
@usableFromInline final class BinaryDisposable: Cancelable {
  #if TRACE_RESOURCES
    @usableFromInline let trace = ResourceTrace()
  #endif

  @usableFromInline let members: Lock<(any Disposable, any Disposable)?>

  @inlinable init(_ first: any Disposable, _ second: any Disposable) {
    members = Lock((first, second))
  }

  @usableFromInline var isDisposed: Bool { members.withLock { $0 == nil } }

  @usableFromInline func dispose() {
    guard let (first, second) = members.withLock({ $0.take() }) else { return }
    first.dispose()
    second.dispose()
  }
}

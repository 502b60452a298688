/// An observer that sets a value on an object without keeping the object alive.
///
/// Elements are delivered on a scheduler, by default the main scheduler. On Linux the program has to drain
/// the main queue (see `MainScheduler`). Errors cannot be bound: they go to `Hooks.defaultErrorHandler`.
public struct Binder<Value>: ObserverType {
  /// The type of the elements received.
  public typealias Element = Value

  private let handler: (Event<Value>) -> Void

  /// Creates a binder that sets the value on the main actor, through the main scheduler.
  ///
  /// - Parameters:
  ///   - target: the object to set the value on; elements are ignored after it is released.
  ///   - binding: sets the value.
  public init<Target: AnyObject>(
    _ target: Target, binding: @escaping @MainActor @Sendable (Target, Value) -> Void
  ) {
    let set = MainActorClosure.passing { (target: Target, value: Value) in binding(target, value) }
    self.init(target, on: MainScheduler()) { set(($0, $1)) }
  }

  /// Creates a binder that sets the value on a scheduler.
  ///
  /// - Parameters:
  ///   - target: the object to set the value on; elements are ignored after it is released.
  ///   - scheduler: runs the binding.
  ///   - binding: sets the value.
  @preconcurrency public init<Target: AnyObject>(
    _ target: Target, scheduler: any ImmediateSchedulerType,
    binding: @escaping @Sendable (Target, Value) -> Void
  ) {
    self.init(target, on: scheduler, binding)
  }

  init<Target: AnyObject>(
    _ target: Target, on scheduler: any ImmediateSchedulerType, _ binding: @escaping (Target, Value) -> Void
  ) {
    handler = { [weak target] event in
      switch event {
      case .next(let element):
        let action = uncheckedSendable { [weak target] (element: Value) -> any Disposable in
          if let target { binding(target, element) }
          return Disposables.create()
        }
        _ = scheduler.schedule(element, action: action)
      case .error(let error): Hooks.defaultErrorHandler([], error)
      case .completed: break
      }
    }
  }

  /// Binds the element of a `next` event.
  public func on(_ event: Event<Value>) {
    handler(event)
  }

  /// Returns the binder with its type erased.
  public func asObserver() -> AnyObserver<Value> {
    AnyObserver(handler: handler)
  }
}

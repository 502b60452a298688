/// An observer that sets something on an object, which it does not keep alive.
///
/// Elements are handed over on a scheduler, the main one unless told otherwise: on Linux somebody has to drain the main
/// queue (see `MainScheduler`). There is nothing to bind an error to: it goes to `Hooks.defaultErrorHandler`.
public struct Binder<Value>: ObserverType {
  /// The type of the elements received.
  public typealias Element = Value

  private let handler: (Event<Value>) -> Void

  /// Makes a binder.
  ///
  /// - Parameters:
  ///   - target: what to set something on; once it is gone nothing happens.
  ///   - scheduler: where to do it.
  ///   - binding: does it.
  public init<Target: AnyObject>(
    _ target: Target, scheduler: any ImmediateSchedulerType = MainScheduler(),
    binding: @escaping (Target, Value) -> Void
  ) {
    handler = { [weak target] event in
      switch event {
      case .next(let element):
        _ = scheduler.schedule(element) { [weak target] element in
          if let target { binding(target, element) }
          return Disposables.create()
        }
      case .error(let error): Hooks.defaultErrorHandler([], error)
      case .completed: break
      }
    }
  }

  /// Binds the element of a `next` event.
  public func on(_ event: Event<Value>) {
    handler(event)
  }

  /// The binder with its type erased.
  public func asObserver() -> AnyObserver<Value> {
    AnyObserver(eventHandler: handler)
  }
}

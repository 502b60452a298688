extension ObservableType {
  /// A sequence of one given element.
  @inlinable public static func just(_ element: Element) -> Observable<Element> {
    Observable { observer in
      observer.on(.next(element))
      observer.on(.completed)
      return Disposables.create()
    }
  }

  /// A sequence of one given element, sent on a scheduler.
  ///
  /// - Parameters:
  ///   - element: the element.
  ///   - scheduler: sends the element, then in a step of its own the end.
  /// - Returns: the sequence.
  public static func just(
    _ element: Element, scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> {
    Observable { observer in
      let pending = SerialDisposable()
      pending.disposable = scheduler.schedule(()) {
        observer.on(.next(element))
        return scheduler.schedule(()) {
          observer.on(.completed)
          return Disposables.create()
        }
      }
      return pending
    }
  }
}

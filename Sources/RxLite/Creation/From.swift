extension ObservableType {
  /// Returns a sequence of an array's elements.
  ///
  /// - Parameters:
  ///   - array: the elements.
  ///   - scheduler: sends each element in a separate step.
  /// - Returns: the sequence.
  @inlinable public static func from(
    _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    unfold(array.makeIterator(), on: scheduler, isFinite: true) { $0.next() }
  }

  /// Returns a sequence of another sequence's elements.
  ///
  /// - Parameters:
  ///   - sequence: the elements, iterated again for each subscription.
  ///   - scheduler: sends each element in a separate step.
  /// - Returns: the sequence.
  @inlinable public static func from<Elements: Sequence>(
    _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> where Elements.Element == Element {
    DeferredObservable {
      unfold(sequence.makeIterator(), on: scheduler, isFinite: sequence is any Collection) { $0.next() }
    }
  }

  /// Returns a sequence of an optional's element, which is empty if the optional is `nil`.
  @inlinable public static func from(optional: Element?) -> Observable<Element> {
    optional.map(Observable.just) ?? .empty()
  }

  /// Returns a sequence of an optional's element, which is sent on a scheduler.
  public static func from(
    optional: Element?, scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> {
    from(optional.map { [$0] } ?? [], scheduler: scheduler)
  }
}

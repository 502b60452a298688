public import ReactiveNetworkLock

extension ObservableType {
  /// Forwards the latest element whenever another sequence sends an element.
  ///
  /// The completion of the other sequence also takes a sample; its error ends the sequence. One element is
  /// held, and arrives on the thread of the other sequence. Completion of this sequence waits for the next
  /// sample and arrives on that thread too.
  ///
  /// - Parameters:
  ///   - sampler: takes a sample with each of its elements.
  ///   - defaultValue: sent if there is no new element since the last sample; `nil` sends nothing.
  /// - Returns: the sampled sequence.
  @inlinable public func sample<Source: ObservableType>(
    _ sampler: Source, defaultValue: Element? = nil
  ) -> Observable<Element> {
    let source = asObservable().source
    let sampler = sampler.asObservable().source
    return Observable { observer in
      let machine = OperatorStateMachine(SampleState<Element>(defaultValue: defaultValue), observer)
      let subscription = SingleAssignmentDisposable()
      let samples = SingleAssignmentDisposable()
      subscription.setDisposable(
        source(
          observer.calling { event in
            machine.decide { $0.receive(event, &$1) }
            if event.isStopEvent { subscription.dispose() }
          }))
      samples.setDisposable(
        sampler(
          observer.calling { event in
            machine.decide { $0.sample(event.error, &$1) }
            if event.isStopEvent { samples.dispose() }
          }))
      return Disposables.create(machine, subscription, samples)
    }
  }
}

@usableFromInline struct SampleState<Element> {
  @usableFromInline typealias Output = OperatorStateMachine<Self, Element>.Output

  @usableFromInline let defaultValue: Element?
  @usableFromInline var latest: Element?
  @usableFromInline var isCompleted = false

  @inlinable init(defaultValue: Element?) {
    self.defaultValue = defaultValue
  }

  /// Returns the replaced element.
  @inlinable mutating func receive(_ event: Event<Element>, _ output: inout Output) -> Element? {
    switch event {
    case .next(let element):
      return exchange(&latest, with: element)
    case .error: output.append(event)
    case .completed: isCompleted = true
    }
    return nil
  }

  @inlinable mutating func sample(_ error: (any Error)?, _ output: inout Output) {
    if let error { return output.append(.error(error)) }
    if let element = latest.take() ?? defaultValue { output.append(.next(element)) }
    if isCompleted { output.append(.completed) }
  }
}

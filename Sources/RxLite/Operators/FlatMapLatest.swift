extension ObservableType {
  /// Transforms each element into a sequence and follows only the latest; the previous one is disposed first.
  ///
  /// Use it to let a newer event cancel an older request. For each element, `selector` is called, then the
  /// old inner sequence is disposed, then the new one is subscribed to. Completes when the source and the
  /// latest inner sequence have completed; any error ends it at once.
  ///
  /// After that, nothing of the old inner sequence is delivered, with one exception: if another thread is
  /// delivering one of its events at that moment, that event still reaches the observer. It comes before all
  /// events of the new sequence, and no event of the old one follows it. Waiting for that thread would block
  /// the source for as long as the observer takes.
  ///
  /// A subject delivers an element that is sent from inside its delivery afterwards. If the source is a subject or a
  /// relay itself, an old inner sequence ends at its next event after a newer element was sent there. With any other
  /// source, the elements that the old inner sequence sends at once still come first.
  ///
  /// - Parameter selector: returns the inner sequence. An error that it throws ends the sequence.
  /// - Returns: the elements of the latest inner sequence.
  @preconcurrency @inlinable public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flatMappingLatest(selector)
  }

  /// `flatMapLatest` with a closure of the library, which may capture values that are not `Sendable`.
  @inlinable @inline(__always) func flatMappingLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    let outer = asObservable()
    let (source, counter) = (outer.source, outer.counter)
    return Observable { observer in
      let switchState = SwitchState(observer, counter: counter)
      switchState.assign(
        source(
          observer.calling { event in
            switch event {
            case .next(let element):
              guard switchState.acceptsElements else { return }
              do {
                switchState.switchTo(try selector(element).asObservable())
              } catch {
                switchState.endSource(.outer(.error(error)))
              }
            case .error(let error): switchState.endSource(.outer(.error(error)))
            case .completed:
              switchState.disposeContent()
              switchState.send(.outer(.completed))
            }
          }))
      return switchState
    }
  }
}

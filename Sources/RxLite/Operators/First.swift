extension ObservableType {
  /// Returns the first element as a single, or `nil` if the sequence completes without an element.
  ///
  /// The source is disposed after its first element.
  @inlinable public func first() -> Single<Element?> {
    let source = asObservable().source
    return Single(
      raw: Observable { observer in
        let sink = Sink(observer)
        return source(
          observer.calling { event in
            sink.receive(event) {
              sink.complete(after: $0)
            } completed: {
              sink.complete(after: nil)
            }
          })
      })
  }
}

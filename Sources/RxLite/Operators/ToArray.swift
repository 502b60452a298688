extension ObservableType {
  /// Collects all elements, without limit, and sends them as one array when the sequence completes.
  @inlinable public func toArray() -> Single<[Element]> {
    let source = asObservable().source
    return Single(
      raw: Observable { observer in
        let elements = Box<[Element]>([])
        return source(
          observer.calling { event in
            switch event {
            case .next(let element):
              elements.value.append(element)
            case .error(let error):
              elements.value = []
              observer.on(.error(error))
            case .completed:
              observer.on(.next(exchange(&elements.value, with: [])))
              observer.on(.completed)
            }
          })
      })
  }
}

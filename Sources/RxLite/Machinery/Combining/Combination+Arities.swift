extension ObservableType {
  /// Combines any number of sequences: as `combineLatest` if `keepsLatest` is `true`, otherwise as `zip`.
  @inlinable static func combine<Sources: Collection>(
    keepingLatest keepsLatest: Bool, _ sources: Sources, endsEarly: Bool = true, endsLast: Bool = true,
    _ resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableType {
    Observable { observer in
      let buffers = (0..<sources.count).map { _ in
        SourceBuffer(Sources.Element.Element.self, keepsLatest: keepsLatest)
      }
      let combination = Combination(
        buffers, endsEarly: endsEarly, observer, take: { state in buffers.map { $0.take(&state) } },
        transform: resultSelector)
      let subscriptions = Swift.zip(sources, buffers).map {
        combination.subscribe(to: $0.asObservable(), into: $1, endsLast: endsLast)
      }
      return Disposables.create([combination.machine] + subscriptions)
    }
  }

  /// Combines 2 sequences: as `combineLatest` if `keepsLatest` is `true`, otherwise as `zip`.
  @inlinable static func combine<O1, O2>(
    keepingLatest keepsLatest: Bool, _ source1: O1, _ source2: O2,
    _ resultSelector: @escaping (O1.Element, O2.Element) throws -> Element
  ) -> Observable<Element>
  where O1: ObservableConvertibleType, O2: ObservableConvertibleType {
    Observable { observer in
      let buffer1 = SourceBuffer(O1.Element.self, keepsLatest: keepsLatest)
      let buffer2 = SourceBuffer(O2.Element.self, keepsLatest: keepsLatest)
      let combination = Combination(
        [buffer1, buffer2], endsEarly: keepsLatest, observer,
        take: { (buffer1.take(&$0), buffer2.take(&$0)) },
        transform: { try resultSelector($0.0, $0.1) })
      return Disposables.create(
        combination.machine, combination.subscribe(to: source1.asObservable(), into: buffer1),
        combination.subscribe(to: source2.asObservable(), into: buffer2))
    }
  }

  /// Combines 3 sequences: as `combineLatest` if `keepsLatest` is `true`, otherwise as `zip`.
  @inlinable static func combine<O1, O2, O3>(
    keepingLatest keepsLatest: Bool, _ source1: O1, _ source2: O2, _ source3: O3,
    _ resultSelector: @escaping (O1.Element, O2.Element, O3.Element) throws -> Element
  ) -> Observable<Element>
  where O1: ObservableConvertibleType, O2: ObservableConvertibleType, O3: ObservableConvertibleType {
    Observable { observer in
      let buffer1 = SourceBuffer(O1.Element.self, keepsLatest: keepsLatest)
      let buffer2 = SourceBuffer(O2.Element.self, keepsLatest: keepsLatest)
      let buffer3 = SourceBuffer(O3.Element.self, keepsLatest: keepsLatest)
      let combination = Combination(
        [buffer1, buffer2, buffer3], endsEarly: keepsLatest, observer,
        take: { (buffer1.take(&$0), buffer2.take(&$0), buffer3.take(&$0)) },
        transform: { try resultSelector($0.0, $0.1, $0.2) })
      return Disposables.create([
        combination.machine, combination.subscribe(to: source1.asObservable(), into: buffer1),
        combination.subscribe(to: source2.asObservable(), into: buffer2),
        combination.subscribe(to: source3.asObservable(), into: buffer3),
      ])
    }
  }

  /// Combines any number of sequences of different types: as `combineLatest` if `keepsLatest` is `true`,
  /// otherwise as `zip`.
  ///
  /// The elements are combined in boxes of no type, because the compiler specializes no code that uses a pack.
  @inlinable static func combineAll<each Source: ObservableConvertibleType>(
    keepingLatest keepsLatest: Bool, _ source: repeat each Source,
    resultSelector: @escaping (repeat (each Source).Element) throws -> Element
  ) -> Observable<Element> {
    var sources: [Observable<AnyObject>] = []
    repeat sources.append((each source).asObservable().map { Box($0) })
    return combine(keepingLatest: keepsLatest, sources, endsEarly: keepsLatest, endsLast: false) { elements in
      var remaining = elements.makeIterator()
      return try resultSelector(repeat remaining.next(as: (each Source).Element.self))
    }
  }
}

extension IndexingIterator<[AnyObject]> {
  /// Returns the content of the next box.
  ///
  /// The types agree, because boxes and contents come from one pack. A cast that checks it again takes 50 ns.
  @inlinable mutating func next<Content>(as _: Content.Type) -> Content {
    guard let box = next() else { preconditionFailure("There is a box for each source.") }
    return unsafeDowncast(box, to: Box<Content>.self).value
  }
}

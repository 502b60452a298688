extension ObservableType {
  /// Combines any number of sequences: as `combineLatest` if `keepsLatest` is `true`, otherwise as `zip`.
  @inlinable static func combine<Sources: Collection>(
    keepingLatest keepsLatest: Bool, _ sources: Sources,
    _ resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableType {
    Observable { observer in
      let buffers = sources.map { _ in SourceBuffer(Sources.Element.Element.self, keepsLatest: keepsLatest) }
      let combination = Combination(
        buffers, endsEarly: true, observer, take: { state in buffers.map { $0.take(&state) } },
        transform: resultSelector)
      return Disposables.create(
        Swift.zip(sources, buffers).map {
          combination.subscribe(to: $0.asObservable(), into: $1, endsLast: true)
        })
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
        combination.subscribe(to: source1.asObservable(), into: buffer1),
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
        combination.subscribe(to: source1.asObservable(), into: buffer1),
        combination.subscribe(to: source2.asObservable(), into: buffer2),
        combination.subscribe(to: source3.asObservable(), into: buffer3),
      ])
    }
  }

  /// Combines 4 sequences: as `combineLatest` if `keepsLatest` is `true`, otherwise as `zip`.
  @inlinable static func combine<O1, O2, O3, O4>(
    keepingLatest keepsLatest: Bool, _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4,
    _ resultSelector: @escaping (O1.Element, O2.Element, O3.Element, O4.Element) throws -> Element
  ) -> Observable<Element>
  where
    O1: ObservableConvertibleType, O2: ObservableConvertibleType, O3: ObservableConvertibleType,
    O4: ObservableConvertibleType
  {
    Observable { observer in
      let buffer1 = SourceBuffer(O1.Element.self, keepsLatest: keepsLatest)
      let buffer2 = SourceBuffer(O2.Element.self, keepsLatest: keepsLatest)
      let buffer3 = SourceBuffer(O3.Element.self, keepsLatest: keepsLatest)
      let buffer4 = SourceBuffer(O4.Element.self, keepsLatest: keepsLatest)
      let combination = Combination(
        [buffer1, buffer2, buffer3, buffer4], endsEarly: keepsLatest, observer,
        take: {
          (buffer1.take(&$0), buffer2.take(&$0), buffer3.take(&$0), buffer4.take(&$0))
        },
        transform: { try resultSelector($0.0, $0.1, $0.2, $0.3) })
      return Disposables.create([
        combination.subscribe(to: source1.asObservable(), into: buffer1),
        combination.subscribe(to: source2.asObservable(), into: buffer2),
        combination.subscribe(to: source3.asObservable(), into: buffer3),
        combination.subscribe(to: source4.asObservable(), into: buffer4),
      ])
    }
  }

  /// Combines 5 sequences: as `combineLatest` if `keepsLatest` is `true`, otherwise as `zip`.
  @inlinable static func combine<O1, O2, O3, O4, O5>(
    keepingLatest keepsLatest: Bool, _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4,
    _ source5: O5,
    _ resultSelector: @escaping (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element) throws -> Element
  ) -> Observable<Element>
  where
    O1: ObservableConvertibleType, O2: ObservableConvertibleType, O3: ObservableConvertibleType,
    O4: ObservableConvertibleType, O5: ObservableConvertibleType
  {
    Observable { observer in
      let buffer1 = SourceBuffer(O1.Element.self, keepsLatest: keepsLatest)
      let buffer2 = SourceBuffer(O2.Element.self, keepsLatest: keepsLatest)
      let buffer3 = SourceBuffer(O3.Element.self, keepsLatest: keepsLatest)
      let buffer4 = SourceBuffer(O4.Element.self, keepsLatest: keepsLatest)
      let buffer5 = SourceBuffer(O5.Element.self, keepsLatest: keepsLatest)
      let combination = Combination(
        [buffer1, buffer2, buffer3, buffer4, buffer5], endsEarly: keepsLatest, observer,
        take: {
          (
            buffer1.take(&$0), buffer2.take(&$0), buffer3.take(&$0),
            buffer4.take(&$0), buffer5.take(&$0)
          )
        },
        transform: { try resultSelector($0.0, $0.1, $0.2, $0.3, $0.4) })
      return Disposables.create([
        combination.subscribe(to: source1.asObservable(), into: buffer1),
        combination.subscribe(to: source2.asObservable(), into: buffer2),
        combination.subscribe(to: source3.asObservable(), into: buffer3),
        combination.subscribe(to: source4.asObservable(), into: buffer4),
        combination.subscribe(to: source5.asObservable(), into: buffer5),
      ])
    }
  }

  /// Combines 6 sequences: as `combineLatest` if `keepsLatest` is `true`, otherwise as `zip`.
  @inlinable static func combine<O1, O2, O3, O4, O5, O6>(
    keepingLatest keepsLatest: Bool, _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4,
    _ source5: O5, _ source6: O6,
    _ resultSelector:
      @escaping (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element) throws -> Element
  ) -> Observable<Element>
  where
    O1: ObservableConvertibleType, O2: ObservableConvertibleType, O3: ObservableConvertibleType,
    O4: ObservableConvertibleType, O5: ObservableConvertibleType, O6: ObservableConvertibleType
  {
    Observable { observer in
      let buffer1 = SourceBuffer(O1.Element.self, keepsLatest: keepsLatest)
      let buffer2 = SourceBuffer(O2.Element.self, keepsLatest: keepsLatest)
      let buffer3 = SourceBuffer(O3.Element.self, keepsLatest: keepsLatest)
      let buffer4 = SourceBuffer(O4.Element.self, keepsLatest: keepsLatest)
      let buffer5 = SourceBuffer(O5.Element.self, keepsLatest: keepsLatest)
      let buffer6 = SourceBuffer(O6.Element.self, keepsLatest: keepsLatest)
      let combination = Combination(
        [buffer1, buffer2, buffer3, buffer4, buffer5, buffer6], endsEarly: keepsLatest, observer,
        take: {
          (
            buffer1.take(&$0), buffer2.take(&$0), buffer3.take(&$0),
            buffer4.take(&$0), buffer5.take(&$0), buffer6.take(&$0)
          )
        },
        transform: { try resultSelector($0.0, $0.1, $0.2, $0.3, $0.4, $0.5) })
      return Disposables.create([
        combination.subscribe(to: source1.asObservable(), into: buffer1),
        combination.subscribe(to: source2.asObservable(), into: buffer2),
        combination.subscribe(to: source3.asObservable(), into: buffer3),
        combination.subscribe(to: source4.asObservable(), into: buffer4),
        combination.subscribe(to: source5.asObservable(), into: buffer5),
        combination.subscribe(to: source6.asObservable(), into: buffer6),
      ])
    }
  }

  /// Combines 7 sequences: as `combineLatest` if `keepsLatest` is `true`, otherwise as `zip`.
  @inlinable static func combine<O1, O2, O3, O4, O5, O6, O7>(
    keepingLatest keepsLatest: Bool, _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4,
    _ source5: O5, _ source6: O6, _ source7: O7,
    _ resultSelector:
      @escaping (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element) throws ->
      Element
  ) -> Observable<Element>
  where
    O1: ObservableConvertibleType, O2: ObservableConvertibleType, O3: ObservableConvertibleType,
    O4: ObservableConvertibleType, O5: ObservableConvertibleType, O6: ObservableConvertibleType,
    O7: ObservableConvertibleType
  {
    Observable { observer in
      let buffer1 = SourceBuffer(O1.Element.self, keepsLatest: keepsLatest)
      let buffer2 = SourceBuffer(O2.Element.self, keepsLatest: keepsLatest)
      let buffer3 = SourceBuffer(O3.Element.self, keepsLatest: keepsLatest)
      let buffer4 = SourceBuffer(O4.Element.self, keepsLatest: keepsLatest)
      let buffer5 = SourceBuffer(O5.Element.self, keepsLatest: keepsLatest)
      let buffer6 = SourceBuffer(O6.Element.self, keepsLatest: keepsLatest)
      let buffer7 = SourceBuffer(O7.Element.self, keepsLatest: keepsLatest)
      let combination = Combination(
        [buffer1, buffer2, buffer3, buffer4, buffer5, buffer6, buffer7], endsEarly: keepsLatest, observer,
        take: {
          (
            buffer1.take(&$0), buffer2.take(&$0), buffer3.take(&$0),
            buffer4.take(&$0), buffer5.take(&$0), buffer6.take(&$0), buffer7.take(&$0)
          )
        },
        transform: { try resultSelector($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6) })
      return Disposables.create([
        combination.subscribe(to: source1.asObservable(), into: buffer1),
        combination.subscribe(to: source2.asObservable(), into: buffer2),
        combination.subscribe(to: source3.asObservable(), into: buffer3),
        combination.subscribe(to: source4.asObservable(), into: buffer4),
        combination.subscribe(to: source5.asObservable(), into: buffer5),
        combination.subscribe(to: source6.asObservable(), into: buffer6),
        combination.subscribe(to: source7.asObservable(), into: buffer7),
      ])
    }
  }

  /// Combines 8 sequences: as `combineLatest` if `keepsLatest` is `true`, otherwise as `zip`.
  @inlinable static func combine<O1, O2, O3, O4, O5, O6, O7, O8>(
    keepingLatest keepsLatest: Bool, _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4,
    _ source5: O5, _ source6: O6, _ source7: O7, _ source8: O8,
    _ resultSelector:
      @escaping (
        O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element, O8.Element
      ) throws -> Element
  ) -> Observable<Element>
  where
    O1: ObservableConvertibleType, O2: ObservableConvertibleType, O3: ObservableConvertibleType,
    O4: ObservableConvertibleType, O5: ObservableConvertibleType, O6: ObservableConvertibleType,
    O7: ObservableConvertibleType, O8: ObservableConvertibleType
  {
    Observable { observer in
      let buffer1 = SourceBuffer(O1.Element.self, keepsLatest: keepsLatest)
      let buffer2 = SourceBuffer(O2.Element.self, keepsLatest: keepsLatest)
      let buffer3 = SourceBuffer(O3.Element.self, keepsLatest: keepsLatest)
      let buffer4 = SourceBuffer(O4.Element.self, keepsLatest: keepsLatest)
      let buffer5 = SourceBuffer(O5.Element.self, keepsLatest: keepsLatest)
      let buffer6 = SourceBuffer(O6.Element.self, keepsLatest: keepsLatest)
      let buffer7 = SourceBuffer(O7.Element.self, keepsLatest: keepsLatest)
      let buffer8 = SourceBuffer(O8.Element.self, keepsLatest: keepsLatest)
      let combination = Combination(
        [buffer1, buffer2, buffer3, buffer4, buffer5, buffer6, buffer7, buffer8], endsEarly: keepsLatest,
        observer,
        take: {
          (
            buffer1.take(&$0), buffer2.take(&$0), buffer3.take(&$0),
            buffer4.take(&$0), buffer5.take(&$0), buffer6.take(&$0),
            buffer7.take(&$0), buffer8.take(&$0)
          )
        },
        transform: { try resultSelector($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6, $0.7) })
      return Disposables.create([
        combination.subscribe(to: source1.asObservable(), into: buffer1),
        combination.subscribe(to: source2.asObservable(), into: buffer2),
        combination.subscribe(to: source3.asObservable(), into: buffer3),
        combination.subscribe(to: source4.asObservable(), into: buffer4),
        combination.subscribe(to: source5.asObservable(), into: buffer5),
        combination.subscribe(to: source6.asObservable(), into: buffer6),
        combination.subscribe(to: source7.asObservable(), into: buffer7),
        combination.subscribe(to: source8.asObservable(), into: buffer8),
      ])
    }
  }
}

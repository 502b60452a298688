extension ObservableType {
  /// Combines any number of sequences: as `combineLatest` if `keepsLatest` is `true`, otherwise as `zip`.
  @inlinable static func combine<Sources: Collection>(
    keepingLatest keepsLatest: Bool, _ sources: Sources,
    _ resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableType {
    Observable { observer in
      let slots = sources.map { _ in Slot(Sources.Element.Element.self, keepsLatest: keepsLatest) }
      let combination = Combination(
        sources: slots.count, endsEarly: true, observer, take: { state in slots.map { $0.take(&state) } },
        transform: resultSelector)
      return Disposables.create(
        Swift.zip(sources, slots).map { combination.follow($0.asObservable(), into: $1, endsLast: true) })
    }
  }

  /// Combines 2 sequences: as `combineLatest` if `keepsLatest` is `true`, otherwise as `zip`.
  @inlinable static func combine<O1, O2>(
    keepingLatest keepsLatest: Bool, _ source1: O1, _ source2: O2,
    _ resultSelector: @escaping (O1.Element, O2.Element) throws -> Element
  ) -> Observable<Element>
  where O1: ObservableConvertibleType, O2: ObservableConvertibleType {
    Observable { observer in
      let slot1 = Slot(O1.Element.self, keepsLatest: keepsLatest)
      let slot2 = Slot(O2.Element.self, keepsLatest: keepsLatest)
      let combination = Combination(
        sources: 2, endsEarly: keepsLatest, observer, take: { (slot1.take(&$0), slot2.take(&$0)) },
        transform: { try resultSelector($0.0, $0.1) })
      return Disposables.create(
        combination.follow(source1.asObservable(), into: slot1),
        combination.follow(source2.asObservable(), into: slot2))
    }
  }

  /// Combines 3 sequences: as `combineLatest` if `keepsLatest` is `true`, otherwise as `zip`.
  @inlinable static func combine<O1, O2, O3>(
    keepingLatest keepsLatest: Bool, _ source1: O1, _ source2: O2, _ source3: O3,
    _ resultSelector: @escaping (O1.Element, O2.Element, O3.Element) throws -> Element
  ) -> Observable<Element>
  where O1: ObservableConvertibleType, O2: ObservableConvertibleType, O3: ObservableConvertibleType {
    Observable { observer in
      let slot1 = Slot(O1.Element.self, keepsLatest: keepsLatest)
      let slot2 = Slot(O2.Element.self, keepsLatest: keepsLatest)
      let slot3 = Slot(O3.Element.self, keepsLatest: keepsLatest)
      let combination = Combination(
        sources: 3, endsEarly: keepsLatest, observer,
        take: { (slot1.take(&$0), slot2.take(&$0), slot3.take(&$0)) },
        transform: { try resultSelector($0.0, $0.1, $0.2) })
      return Disposables.create([
        combination.follow(source1.asObservable(), into: slot1),
        combination.follow(source2.asObservable(), into: slot2),
        combination.follow(source3.asObservable(), into: slot3),
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
      let slot1 = Slot(O1.Element.self, keepsLatest: keepsLatest)
      let slot2 = Slot(O2.Element.self, keepsLatest: keepsLatest)
      let slot3 = Slot(O3.Element.self, keepsLatest: keepsLatest)
      let slot4 = Slot(O4.Element.self, keepsLatest: keepsLatest)
      let combination = Combination(
        sources: 4, endsEarly: keepsLatest, observer,
        take: {
          (slot1.take(&$0), slot2.take(&$0), slot3.take(&$0), slot4.take(&$0))
        },
        transform: { try resultSelector($0.0, $0.1, $0.2, $0.3) })
      return Disposables.create([
        combination.follow(source1.asObservable(), into: slot1),
        combination.follow(source2.asObservable(), into: slot2),
        combination.follow(source3.asObservable(), into: slot3),
        combination.follow(source4.asObservable(), into: slot4),
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
      let slot1 = Slot(O1.Element.self, keepsLatest: keepsLatest)
      let slot2 = Slot(O2.Element.self, keepsLatest: keepsLatest)
      let slot3 = Slot(O3.Element.self, keepsLatest: keepsLatest)
      let slot4 = Slot(O4.Element.self, keepsLatest: keepsLatest)
      let slot5 = Slot(O5.Element.self, keepsLatest: keepsLatest)
      let combination = Combination(
        sources: 5, endsEarly: keepsLatest, observer,
        take: {
          (
            slot1.take(&$0), slot2.take(&$0), slot3.take(&$0),
            slot4.take(&$0), slot5.take(&$0)
          )
        },
        transform: { try resultSelector($0.0, $0.1, $0.2, $0.3, $0.4) })
      return Disposables.create([
        combination.follow(source1.asObservable(), into: slot1),
        combination.follow(source2.asObservable(), into: slot2),
        combination.follow(source3.asObservable(), into: slot3),
        combination.follow(source4.asObservable(), into: slot4),
        combination.follow(source5.asObservable(), into: slot5),
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
      let slot1 = Slot(O1.Element.self, keepsLatest: keepsLatest)
      let slot2 = Slot(O2.Element.self, keepsLatest: keepsLatest)
      let slot3 = Slot(O3.Element.self, keepsLatest: keepsLatest)
      let slot4 = Slot(O4.Element.self, keepsLatest: keepsLatest)
      let slot5 = Slot(O5.Element.self, keepsLatest: keepsLatest)
      let slot6 = Slot(O6.Element.self, keepsLatest: keepsLatest)
      let combination = Combination(
        sources: 6, endsEarly: keepsLatest, observer,
        take: {
          (
            slot1.take(&$0), slot2.take(&$0), slot3.take(&$0),
            slot4.take(&$0), slot5.take(&$0), slot6.take(&$0)
          )
        },
        transform: { try resultSelector($0.0, $0.1, $0.2, $0.3, $0.4, $0.5) })
      return Disposables.create([
        combination.follow(source1.asObservable(), into: slot1),
        combination.follow(source2.asObservable(), into: slot2),
        combination.follow(source3.asObservable(), into: slot3),
        combination.follow(source4.asObservable(), into: slot4),
        combination.follow(source5.asObservable(), into: slot5),
        combination.follow(source6.asObservable(), into: slot6),
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
      let slot1 = Slot(O1.Element.self, keepsLatest: keepsLatest)
      let slot2 = Slot(O2.Element.self, keepsLatest: keepsLatest)
      let slot3 = Slot(O3.Element.self, keepsLatest: keepsLatest)
      let slot4 = Slot(O4.Element.self, keepsLatest: keepsLatest)
      let slot5 = Slot(O5.Element.self, keepsLatest: keepsLatest)
      let slot6 = Slot(O6.Element.self, keepsLatest: keepsLatest)
      let slot7 = Slot(O7.Element.self, keepsLatest: keepsLatest)
      let combination = Combination(
        sources: 7, endsEarly: keepsLatest, observer,
        take: {
          (
            slot1.take(&$0), slot2.take(&$0), slot3.take(&$0),
            slot4.take(&$0), slot5.take(&$0), slot6.take(&$0), slot7.take(&$0)
          )
        },
        transform: { try resultSelector($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6) })
      return Disposables.create([
        combination.follow(source1.asObservable(), into: slot1),
        combination.follow(source2.asObservable(), into: slot2),
        combination.follow(source3.asObservable(), into: slot3),
        combination.follow(source4.asObservable(), into: slot4),
        combination.follow(source5.asObservable(), into: slot5),
        combination.follow(source6.asObservable(), into: slot6),
        combination.follow(source7.asObservable(), into: slot7),
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
      let slot1 = Slot(O1.Element.self, keepsLatest: keepsLatest)
      let slot2 = Slot(O2.Element.self, keepsLatest: keepsLatest)
      let slot3 = Slot(O3.Element.self, keepsLatest: keepsLatest)
      let slot4 = Slot(O4.Element.self, keepsLatest: keepsLatest)
      let slot5 = Slot(O5.Element.self, keepsLatest: keepsLatest)
      let slot6 = Slot(O6.Element.self, keepsLatest: keepsLatest)
      let slot7 = Slot(O7.Element.self, keepsLatest: keepsLatest)
      let slot8 = Slot(O8.Element.self, keepsLatest: keepsLatest)
      let combination = Combination(
        sources: 8, endsEarly: keepsLatest, observer,
        take: {
          (
            slot1.take(&$0), slot2.take(&$0), slot3.take(&$0),
            slot4.take(&$0), slot5.take(&$0), slot6.take(&$0),
            slot7.take(&$0), slot8.take(&$0)
          )
        },
        transform: { try resultSelector($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6, $0.7) })
      return Disposables.create([
        combination.follow(source1.asObservable(), into: slot1),
        combination.follow(source2.asObservable(), into: slot2),
        combination.follow(source3.asObservable(), into: slot3),
        combination.follow(source4.asObservable(), into: slot4),
        combination.follow(source5.asObservable(), into: slot5),
        combination.follow(source6.asObservable(), into: slot6),
        combination.follow(source7.asObservable(), into: slot7),
        combination.follow(source8.asObservable(), into: slot8),
      ])
    }
  }
}

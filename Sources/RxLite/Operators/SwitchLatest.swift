extension ObservableType {
  /// Follows the latest of the sequences that this sequence sends.
  @inlinable public func switchLatest() -> Observable<Element.Element>
  where Element: ObservableConvertibleType {
    flatMappingLatest { $0 }
  }
}

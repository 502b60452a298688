extension Array {
  /// Returns the index of the element whose key is `wanted`; `nil` if there is none.
  ///
  /// The keys must be in ascending order.
  @inlinable func index(of wanted: Int, key: (Element) -> Int) -> Int? {
    var range = indices
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      switch key(self[middle]) {
      case wanted: return middle
      case ..<wanted: range = (middle + 1)..<range.upperBound
      default: range = range.lowerBound..<middle
      }
    }
    return nil
  }
}

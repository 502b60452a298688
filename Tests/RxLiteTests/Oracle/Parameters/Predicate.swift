/// A predicate of elements, by its number in the vectors.
enum Predicate: Int {
  case isEven, isAboveTwo, isBelowThree, always, never, failForMultipleOfThree, isNoMultipleOfThree,
    isEvenAgain

  func callAsFunction(_ element: Int) throws -> Bool {
    switch self {
    case .isEven, .isEvenAgain: return element % 2 == 0
    case .isAboveTwo: return element > 2
    case .isBelowThree: return element < 3
    case .always: return true
    case .never: return false
    case .failForMultipleOfThree:
      if element % 3 == 0 { throw PipelineError(code: 55) }
      return true
    case .isNoMultipleOfThree: return element % 3 != 0
    }
  }
}

/// A function of elements, by its number in the vectors.
enum Function: Int {
  case increment, double, half, seven, failForOdd, failForThreeModuloFour, remainder, negation

  func callAsFunction(_ element: Int) throws -> Int {
    switch self {
    case .increment: return element + 1
    case .double: return bounded(element * 2)
    case .half: return element / 2
    case .seven: return 7
    case .failForOdd:
      if element % 2 == 1 { throw PipelineError(code: 40) }
      return element
    case .failForThreeModuloFour:
      if element % 4 == 3 { throw PipelineError(code: 50) }
      return element
    case .remainder: return element % 3
    case .negation: return -element
    }
  }
}

extension Function {
  /// Returns the result if it is odd.
  func oddResult(_ element: Int) throws -> Int? {
    let result = try self(element)
    return result % 2 == 0 ? nil : result
  }

  /// Adds the result to a sum.
  func added(to sum: Int, _ element: Int) throws -> Int {
    bounded(sum + (try self(element)))
  }

  /// Applies the function to a pair of elements.
  func pair(_ first: Int, _ second: Int) throws -> Int {
    try self(RxLiteTests.pair(first, second))
  }

  /// Applies the function to a list of elements.
  func list(_ elements: [Int]) throws -> Int {
    try self(digest(elements))
  }
}

/// Keeps elements short.
func bounded(_ element: Int) -> Int { element % 1_000 }

/// Returns one element for two.
func pair(_ first: Int, _ second: Int) -> Int { bounded(first * 10 + second) }

/// Returns one element for a list of elements.
func digest(_ elements: [Int]) -> Int { elements.reduce(elements.count) { bounded($0 * 7 + $1) } }

public import RxLite

// Errors need not be Equatable, so tests compare them by what they are and say: two errors are equal where their
// types are the same and they print the same.

extension Event: Equatable where Element: Equatable {
  /// Whether both are the same kind of event, with equal elements or with errors of one type that print the same.
  public static func == (lhs: Event, rhs: Event) -> Bool {
    switch (lhs, rhs) {
    case (.next(let lhs), .next(let rhs)): lhs == rhs
    case (.error(let lhs), .error(let rhs)): areEqual(lhs, rhs)
    case (.completed, .completed): true
    default: false
    }
  }
}

/// Whether both results succeeded with equal elements, or failed with errors of one type that print the same.
///
/// `SingleEvent` is a `Result`, which cannot conform to `Equatable` a second time, hence a function.
public func == <Element: Equatable>(
  lhs: Result<Element, any Error>, rhs: Result<Element, any Error>
) -> Bool {
  switch (lhs, rhs) {
  case (.success(let lhs), .success(let rhs)): lhs == rhs
  case (.failure(let lhs), .failure(let rhs)): areEqual(lhs, rhs)
  default: false
  }
}

func areEqual(_ lhs: any Error, _ rhs: any Error) -> Bool {
  type(of: lhs) == type(of: rhs) && "\(lhs)" == "\(rhs)"
}

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

extension MaybeEvent: Equatable where Element: Equatable {
  /// Whether both ended in the same way, with equal elements or with errors of one type that print the same.
  public static func == (lhs: MaybeEvent, rhs: MaybeEvent) -> Bool {
    switch (lhs, rhs) {
    case (.success(let lhs), .success(let rhs)): lhs == rhs
    case (.error(let lhs), .error(let rhs)): areEqual(lhs, rhs)
    case (.completed, .completed): true
    default: false
    }
  }
}

extension CompletableEvent: Equatable {
  /// Whether both ended in the same way, possibly with errors of one type that print the same.
  public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
    switch (lhs, rhs) {
    case (.error(let lhs), .error(let rhs)): areEqual(lhs, rhs)
    case (.completed, .completed): true
    default: false
    }
  }
}

extension InfallibleEvent: Equatable where Element: Equatable {
  /// Whether both are the same kind of event, with equal elements.
  public static func == (lhs: InfallibleEvent, rhs: InfallibleEvent) -> Bool {
    lhs.event == rhs.event
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

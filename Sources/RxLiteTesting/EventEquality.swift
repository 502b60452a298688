public import RxLite

// Errors need not be `Equatable`. Two errors are equal if their types and descriptions are equal.

extension Event: Equatable where Element: Equatable {
  /// Returns whether both are the same kind of event, with equal elements, or errors of equal type and
  /// description.
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
  /// Returns whether both ended in the same way, with equal elements, or errors of equal type and
  /// description.
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
  /// Returns whether both completed, or both failed with errors of equal type and description.
  public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
    switch (lhs, rhs) {
    case (.error(let lhs), .error(let rhs)): areEqual(lhs, rhs)
    case (.completed, .completed): true
    default: false
    }
  }
}

extension InfallibleEvent: Equatable where Element: Equatable {
  /// Returns whether both are the same kind of event, with equal elements.
  public static func == (lhs: InfallibleEvent, rhs: InfallibleEvent) -> Bool {
    lhs.event == rhs.event
  }
}

/// Returns whether both results succeeded with equal elements, or failed with errors of equal type and
/// description.
///
/// A function because `SingleEvent` is a `Result`, which cannot conform to `Equatable` a second time.
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

import RxLite
import RxLiteTesting

/// The kind of an event, by its number in the vectors.
enum EventKind: Int {
  case next, completed, error

  /// Returns an event of this kind; `value` is its element or the code of its error.
  func event(_ value: Int) -> Event<Int> {
    switch self {
    case .next: .next(value)
    case .completed: .completed
    case .error: .error(PipelineError(code: value))
    }
  }
}

extension OperatorCall {
  /// The events of a test source: three numbers each, which are time, kind and value.
  func recordedEvents(after count: Int = 0) throws -> [Recorded<Event<Int>>] {
    try stride(from: count, to: numbers.count, by: 3).map { index in
      let kind: EventKind = try parameter(index + 1)
      return Recorded(time: self[index], value: kind.event(self[index + 2]))
    }
  }
}

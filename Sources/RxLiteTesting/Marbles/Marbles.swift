public import RxLite

/// Marble tests: sequences drawn as text, on the clock of a `TestScheduler`.
///
/// ```swift
/// @Test("an element followed too soon is dropped")  // or, in XCTest: func testDrops() throws
/// func drops() throws {
///   let marbles = Marbles()
///   let typed = try marbles.hot("-a-bc---d|")
///   let settled = typed.debounce(.seconds(2), scheduler: marbles.scheduler)
///   try marbles.expect(         "------c--(d|)", from: settled)
///   try marbles.expect(subscriptions: "^--------!", of: typed)
/// }
/// ```
///
/// A failed check throws a `MarbleMismatch`, whose description shows both diagrams; an invalid diagram throws
/// a `MarbleError`. Every test framework reports errors that a test throws, so `Marbles` depends on none.
///
/// The notation is that of ReactiveX and RxJS. Every character takes one column:
///
/// | character | meaning |
/// |---|---|
/// | `-` | time passes |
/// | `a` | an element: the value in the table, or else the character itself (a `String`, or the digit of an `Int`) |
/// | `\|` | completion |
/// | `#` | an error: the error in the table, or else `MarbleFailure` |
/// | `(ab\|)` | several events at once, in the column of the `(`; the group is as wide as its text |
/// | `^` | in a hot sequence: column 0; events to its left occur before the subscription |
/// | `^--!` | in a diagram of a subscription: its beginning and its end |
/// | space | nothing: aligns one diagram with another |
///
/// Within a column, subscriptions begin and end first, then hot sequences send, then timers fire. As always
/// with a `TestScheduler`, an action that an operator schedules for now runs one tick later.
public final class Marbles {
  /// The scheduler of the test.
  public let scheduler: TestScheduler

  /// The virtual time of column 0.
  public let origin: TestTime

  /// The length of a column in ticks of the clock.
  public let column: Int

  // The pending beginnings and ends of subscriptions.
  private var pendingActions: [(time: TestTime, action: () -> Void)] = []

  /// Creates a test on a scheduler.
  ///
  /// - Parameters:
  ///   - scheduler: the clock; it runs once.
  ///   - origin: the virtual time of column 0, at which the sequence under test is subscribed to; by default
  ///     200, as in `TestScheduler.start`.
  ///   - column: the length of a column in ticks; a tick is a second unless the scheduler has another
  ///     resolution.
  /// - Precondition: `column > 0`.
  public init(
    scheduler: TestScheduler = TestScheduler(initialClock: 0),
    origin: TestTime = TestScheduler.Defaults.subscribed,
    column: Int = 1
  ) {
    precondition(column > 0, "column is not positive: \(column)")
    self.scheduler = scheduler
    self.origin = origin
    self.column = column
  }

  /// Creates a sequence whose events occur in their columns, for the observers subscribed at that time.
  ///
  /// - Parameters:
  ///   - diagram: the events; those left of a `^` occur before column 0.
  ///   - values: the elements that characters represent.
  ///   - errors: the errors that characters represent.
  /// - Returns: the sequence.
  /// - Throws: `MarbleError` if the diagram is invalid.
  public func hot<Element>(
    _ diagram: String, values: [Character: Element] = [:], errors: [Character: any Error] = [:]
  ) throws(MarbleError) -> TestableObservable<Element> {
    let events = try events(diagram, values: values, errors: errors)
    if let first = events.first, first.time < scheduler.clock {
      throw try MarbleText(diagram).error(.past(clock: scheduler.clock), at: 0)
    }
    return .hot(events, scheduler: scheduler) { [weak self] in self?.runDueActions() }
  }

  /// Creates a hot sequence of strings, one for each character.
  ///
  /// - Parameters:
  ///   - diagram: the events; those left of a `^` occur before column 0.
  ///   - errors: the errors that characters represent.
  /// - Returns: the sequence.
  /// - Throws: `MarbleError` if the diagram is invalid.
  public func hot(
    _ diagram: String, errors: [Character: any Error] = [:]
  ) throws(MarbleError) -> TestableObservable<String> {
    try hot(diagram, values: [:], errors: errors)
  }

  /// Creates a sequence whose events occur for each subscription, with the subscription at column 0.
  ///
  /// - Parameters:
  ///   - diagram: the events, without a `^`.
  ///   - values: the elements that characters represent.
  ///   - errors: the errors that characters represent.
  /// - Returns: the sequence.
  /// - Throws: `MarbleError` if the diagram is invalid.
  public func cold<Element>(
    _ diagram: String, values: [Character: Element] = [:], errors: [Character: any Error] = [:]
  ) throws(MarbleError) -> TestableObservable<Element> {
    let text = try MarbleText(diagram)
    if let start = text.marks.first(where: { $0.character == "^" }) {
      throw text.error(.misplaced(expected: "an event; a cold sequence begins at column 0"), at: start.offset)
    }
    return .cold(
      try read(text, MarbleLegend(values: values, errors: errors), from: 0), scheduler: scheduler)
  }

  /// Creates a cold sequence of strings, one for each character.
  ///
  /// - Parameters:
  ///   - diagram: the events, without a `^`.
  ///   - errors: the errors that characters represent.
  /// - Returns: the sequence.
  /// - Throws: `MarbleError` if the diagram is invalid.
  public func cold(
    _ diagram: String, errors: [Character: any Error] = [:]
  ) throws(MarbleError) -> TestableObservable<String> {
    try cold(diagram, values: [:], errors: errors)
  }

  /// Reads a diagram.
  ///
  /// - Parameters:
  ///   - diagram: the events.
  ///   - values: the elements that characters represent.
  ///   - errors: the errors that characters represent.
  /// - Returns: the events with their virtual times; column 0 is `origin`.
  /// - Throws: `MarbleError` if the diagram is invalid.
  public func events<Element>(
    _ diagram: String, values: [Character: Element] = [:], errors: [Character: any Error] = [:]
  ) throws(MarbleError) -> [Recorded<Event<Element>>] {
    try read(MarbleText(diagram), MarbleLegend(values: values, errors: errors), from: origin)
  }

  func read<Element>(
    _ text: MarbleText, _ legend: MarbleLegend<Element>, from origin: TestTime
  ) throws(MarbleError) -> [Recorded<Event<Element>>] {
    try legend.checkFixedMarks(of: text)
    let start = try text.columnOfStart()
    var events: [Recorded<Event<Element>>] = []
    for mark in text.marks {
      guard let event = try legend.event(of: mark, in: text) else { continue }
      events.append(Recorded(time: origin + (mark.column - start) * column, value: event))
    }
    return events
  }

  /// Schedules the beginning or end of a subscription, before the events of hot sequences at that time.
  func schedule(at time: TestTime, _ action: @escaping () -> Void) {
    pendingActions.append((time, action))
    scheduler.scheduleAt(time) { [weak self] in self?.runDueActions() }
  }

  private func runDueActions() {
    while let index = pendingActions.firstIndex(where: { $0.time <= scheduler.clock }) {
      pendingActions.remove(at: index).action()
    }
  }
}

public import RxLite

extension Marbles {
  /// The number of columns after which subscriptions end by default, so that endless timers end.
  static let longest = 1_000

  private var end: TestTime { origin + Marbles.longest * column }

  /// Subscribes to a sequence, runs the clock to the end, and compares the received events with a diagram.
  ///
  /// - Parameters:
  ///   - diagram: the expected events.
  ///   - values: the elements that characters represent.
  ///   - errors: the errors that characters represent.
  ///   - subscription: the time of the subscription and, with a `!`, of the disposal, which otherwise happens
  ///     after 1,000 columns.
  ///   - sequence: the sequence under test.
  ///   - file: the file of the test, for the message.
  ///   - line: the line of the test, for the message.
  /// - Throws: `MarbleMismatch` if the events differ, `MarbleError` if a diagram is invalid.
  public func expect<Element: Equatable>(
    _ diagram: String, values: [Character: Element] = [:], errors: [Character: any Error] = [:],
    during subscription: String = "^", from sequence: some ObservableConvertibleType<Element>,
    file: String = #fileID, line: Int = #line
  ) throws {
    let text = try MarbleText(diagram)
    let legend = MarbleLegend(values: values, errors: errors)
    let expected = try read(text, legend, from: origin)
    let span = try times(of: subscription)
    if span.subscribe < scheduler.clock {
      throw MarbleError(problem: .past(clock: scheduler.clock), diagram: subscription, column: 0)
    }
    let observer = scheduler.createObserver(Element.self)
    let running = SerialDisposable()
    schedule(at: span.subscribe) { running.disposable = sequence.asObservable().subscribe(observer) }
    schedule(at: min(span.unsubscribe, end)) { running.dispose() }
    scheduler.start()
    try compare(observer.events, with: expected, text, legend, at: "\(file):\(line)")
  }

  /// Compares recorded events with a diagram.
  ///
  /// - Parameters:
  ///   - diagram: the expected events.
  ///   - values: the elements that characters represent.
  ///   - errors: the errors that characters represent.
  ///   - events: the events that an observer of the same scheduler has recorded.
  ///   - file: the file of the test, for the message.
  ///   - line: the line of the test, for the message.
  /// - Throws: `MarbleMismatch` if the events differ, `MarbleError` if the diagram is invalid.
  public func expect<Element: Equatable>(
    _ diagram: String, values: [Character: Element] = [:], errors: [Character: any Error] = [:],
    events: [Recorded<Event<Element>>], file: String = #fileID, line: Int = #line
  ) throws {
    let text = try MarbleText(diagram)
    let legend = MarbleLegend(values: values, errors: errors)
    try compare(events, with: read(text, legend, from: origin), text, legend, at: "\(file):\(line)")
  }

  /// Compares the subscription and disposal times of a sequence with diagrams.
  ///
  /// - Parameters:
  ///   - diagrams: one for each subscription, in the order in which they begin; without a `!`, a subscription
  ///     lasts until the end of the test.
  ///   - source: the sequence.
  ///   - file: the file of the test, for the message.
  ///   - line: the line of the test, for the message.
  /// - Throws: `MarbleMismatch` if the times differ, `MarbleError` if a diagram is invalid.
  public func expect<Element>(
    subscriptions diagrams: String..., of source: TestableObservable<Element>, file: String = #fileID,
    line: Int = #line
  ) throws {
    let expected = try diagrams.map(times)
    let actual = source.subscriptions.map { $0.unsubscribe < end ? $0 : Subscription($0.subscribe) }
    guard let index = firstDifference(expected, actual) else { return }
    let present = [expected, actual].compactMap { $0.indices.contains(index) ? $0[index] : nil }
    let isSameStart = present.count == 2 && present[0].subscribe == present[1].subscribe
    let time = present.map { isSameStart ? $0.unsubscribe : $0.subscribe }.min() ?? origin
    let drawings = actual.map { subscription in
      let marks = [
        MarbleDrawing.Mark(time: subscription.subscribe, character: "^", label: "the beginning"),
        MarbleDrawing.Mark(time: subscription.unsubscribe, character: "!", label: "the end"),
      ]
      return MarbleDrawing(
        marks.filter { $0.time != .max }, origin: origin, column: column, limit: Marbles.longest)
    }
    throw MarbleMismatch(
      expected: diagrams.map { MarbleText.trimmed($0) }, actual: drawings.map(\.text),
      column: columns(to: time), start: 0, notes: drawings.flatMap(notes), location: "\(file):\(line)")
  }

  /// Returns the virtual times of a diagram like `^--!`.
  private func times(of diagram: String) throws(MarbleError) -> Subscription {
    let text = try MarbleText(diagram)
    var marks = text.marks[...]
    guard let start = marks.popFirst(), start.character == "^" else {
      throw text.error(.misplaced(expected: "a \"^\" first"), at: text.marks.first?.offset ?? diagram.count)
    }
    let end = marks.popFirst()
    if let wrong = end?.character == "!" ? marks.first : end {
      throw text.error(.misplaced(expected: "nothing but a \"!\" after the \"^\""), at: wrong.offset)
    }
    return Subscription(
      origin + start.column * column, end.map { origin + $0.column * column } ?? .max)
  }

  private func compare<Element: Equatable>(
    _ actual: [Recorded<Event<Element>>], with expected: [Recorded<Event<Element>>], _ text: MarbleText,
    _ legend: MarbleLegend<Element>, at location: String
  ) throws {
    guard let index = firstDifference(expected, actual) else { return }
    let times = [expected, actual].compactMap { $0.indices.contains(index) ? $0[index].time : nil }
    let first = columns(to: times.min() ?? origin)
    let marks = legend.marks(for: actual, preferring: text.marks.map(\.character))
    // Events far after the difference, or at the end of time, do not help and could make the diagram very long.
    let drawing = draw(marks, limit: max(text.trimmed.count, min(first, 10 * Marbles.longest)) + 40)
    throw MarbleMismatch(
      expected: [text.trimmed], actual: [drawing.text], column: first, start: try text.columnOfStart(),
      notes: notes(on: drawing), location: location)
  }

  private func notes(on drawing: MarbleDrawing) -> [String] {
    drawing.omitted.map { "\($0.mark.label) at \($0.mark.time): \($0.reason)" }
  }

  /// Returns the number of whole columns between column 0 and a time.
  private func columns(to time: TestTime) -> Int {
    let (quotient, remainder) = time.ticks(since: origin).quotientAndRemainder(dividingBy: column)
    return remainder < 0 ? quotient - 1 : quotient
  }

  private func firstDifference<Value: Equatable>(_ first: [Value], _ second: [Value]) -> Int? {
    if first == second { return nil }
    return zip(first, second).enumerated().first { $1.0 != $1.1 }?.offset ?? min(first.count, second.count)
  }
}

import Dispatch
import RxLite
import RxLiteTesting
import Testing

@Suite("MarbleMismatch")
struct MarbleMismatchTests {
  private enum Failure: Error { case first }

  private let marbles = Marbles()

  private func mismatch(
    _ diagram: String, values: [Character: Int] = [:], _ events: Recorded<Event<Int>>...
  ) -> MarbleMismatch? {
    #expect(throws: MarbleMismatch.self) {
      try marbles.expect(diagram, values: values, events: events)
    }
  }

  @Test("both diagrams are shown one above the other, with a mark at the first difference")
  func description() throws {
    let source = try marbles.hot("-a-b---|")
    let line = #line + 1
    let error = #expect(throws: MarbleMismatch.self) {
      try marbles.expect(" ---a- --b|", from: source.delay(.seconds(2), scheduler: marbles.scheduler))
    }
    #expect(
      error?.description == """
        the diagrams differ from column 5 on (RxLiteTestingTests/MarbleMismatchTests.swift:\(line))
          expected  ---a---b|
          actual    ---a-b---|
                         ^
        """)
  }

  @Test("the column is that of the first wrong, missing or additional event")
  func column() {
    #expect(mismatch("-1-2|", .next(201, 1), .next(203, 3), .completed(204))?.column == 3)
    #expect(mismatch("-1-2|", .next(201, 1), .completed(204))?.column == 3)
    #expect(mismatch("-1-2|", .next(201, 1), .next(202, 2), .completed(204))?.column == 2)
    #expect(mismatch("-1-2|", .next(201, 1), .next(203, 2))?.column == 4)
    #expect(mismatch("-1-2", .next(201, 1), .next(203, 2), .completed(204))?.column == 4)
    #expect(mismatch("-(12)", .next(201, 2), .next(201, 1))?.column == 1)
    #expect(mismatch("--^-1", .next(199, 2), .next(202, 1))?.column == -1)
    #expect(mismatch("-#", .error(201, Failure.first))?.column == 1)
  }

  @Test("the mark is below the column even if the diagram begins before column 0")
  func caret() {
    let lines = mismatch("--^-1", .next(203, 1))?.description.split(separator: "\n")
    #expect(lines?.last == "                ^")
  }

  @Test("the mark is at the left end if the difference is before the first column")
  func caretBeforeTheDiagram() {
    let lines = mismatch("-1", .next(199, 1))?.description.split(separator: "\n")
    #expect(lines?.last == "            ^")
  }

  @Test("an event at the end of time is described, and not drawn")
  func endOfTime() {
    let error = mismatch("", .next(.max, 1))
    #expect(error?.actual == [""])
    #expect(error?.notes == ["next(1) at \(Int.max): it is too far to the right"])
    #expect((error?.description.count ?? .max) < 100_000)
  }

  @Test("an event at the beginning of time is described, and not drawn")
  func beginningOfTime() {
    let error = mismatch("-1", .next(.min, 1), .next(198, 2), .next(201, 1))
    #expect(error?.actual == ["2-^1"])
    #expect(error?.notes == ["next(1) at \(Int.min): it is before the first column"])
    #expect((error?.description.count ?? .max) < 100_000)
  }

  @Test("an additional event soon after the expected ones is drawn")
  func additional() {
    let error = mismatch("-1-2", .next(201, 1), .next(203, 2), .completed(204))
    #expect(error?.actual == ["-1-2|"])
    #expect(error?.notes == [])
  }

  @Test("an event without a character is drawn as a question mark and described below")
  func unknown() {
    let error = mismatch("-1-2|", .next(201, 1), .next(203, 17), .completed(204))
    #expect(error?.actual == ["-1-?|"])
    #expect(error?.notes == ["next(17) at 203: no character stands for it"])
    #expect(
      error?.description.hasSuffix("               ^\n  next(17) at 203: no character stands for it") == true)
  }

  @Test("a mismatch of recorded events names the line of the check")
  func locationOfRecordedEvents() throws {
    var found: MarbleMismatch?
    let line = #line + 2
    do {
      try marbles.expect("-1", events: [.next(202, 1)])
    } catch let error as MarbleMismatch {
      found = error
    }
    #expect(found?.location == "RxLiteTestingTests/MarbleMismatchTests.swift:\(line)")
  }

  @Test("an event that cannot be drawn is described below")
  func between() throws {
    let wide = Marbles(column: 10)
    let error = #expect(throws: MarbleMismatch.self) {
      try wide.expect("-1-2", events: [.next(210, 1), .next(225, 2)])
    }
    #expect(error?.actual == ["-1"])
    #expect(error?.column == 2)
    #expect(error?.notes == ["next(2) at 225: it is between two columns"])
    let early = #expect(throws: MarbleMismatch.self) { try wide.expect("-1", events: [.next(195, 1)]) }
    #expect(early?.column == -1)
  }

  @Test("events long after the difference appear only in the notes")
  func far() {
    let error = mismatch("-1|", .next(201, 1), .next(202, 2), .next(100_000, 3), .completed(.max))
    #expect(error?.actual == ["-12"])
    #expect(error?.notes.count == 2)
  }

  @Test("if several characters stand for an element, that of the expected diagram is drawn")
  func preferred() {
    let table: [Character: Int] = ["x": 1, "y": 1]
    #expect(mismatch("-y--y", values: table, .next(201, 1), .next(203, 1))?.actual == ["-y-y"])
  }

  @Test("the beginning of a subscription that cannot be drawn is described below")
  func subscriptionBetweenColumns() throws {
    let wide = Marbles(column: 10)
    let source = try wide.hot("-a|")
    wide.scheduler.scheduleAt(205) {
      _ = source.subscribe(wide.scheduler.createObserver(String.self))
    }
    wide.scheduler.start()
    let error = #expect(throws: MarbleMismatch.self) { try wide.expect(subscriptions: "^", of: source) }
    #expect(error?.actual == [""])
    #expect(error?.notes == ["the beginning at 205: it is between two columns"])
  }

  @Test("subscriptions are compared one by one")
  func subscriptions() throws {
    let source = try marbles.cold("--#")
    try marbles.expect("----#", from: source.asObservable().retry(2))
    func mismatch(_ check: () throws -> Void) -> MarbleMismatch? {
      #expect(throws: MarbleMismatch.self, performing: check)
    }
    let line = #line + 1
    let end = mismatch { try marbles.expect(subscriptions: "^-!", "--^--!", of: source) }
    #expect(end?.column == 4)
    #expect(end?.actual == ["^-!", "--^-!"])
    #expect(
      end?.description == """
        the diagrams differ from column 4 on (RxLiteTestingTests/MarbleMismatchTests.swift:\(line))
          expected  ^-!
                    --^--!
          actual    ^-!
                    --^-!
                        ^
        """)
    #expect(mismatch { try marbles.expect(subscriptions: "^-!", of: source) }?.column == 2)
    #expect(mismatch { try marbles.expect(subscriptions: "^-!", "--^", of: source) }?.column == 4)
    #expect(mismatch { try marbles.expect(subscriptions: "^-!", "-^--!", of: source) }?.column == 1)
    #expect(mismatch { try marbles.expect(subscriptions: "^-!", "--^-!", "----^", of: source) }?.column == 4)
  }
}

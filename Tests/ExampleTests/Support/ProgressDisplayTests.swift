import ReactiveNetworkExamples
import Testing

@Suite("The display of the progress of transfers")
struct ProgressDisplayTests {
  private let start = ContinuousClock.now

  /// Returns the display's output after each event of its first transfer; the events are a second apart.
  private func texts(_ events: [TransferUpdate.Event], isTerminal: Bool) -> [String] {
    var display = ProgressDisplay(["file"], isTerminal: isTerminal)
    return events.enumerated().map { second, event in
      display.handle(TransferUpdate(0, event), at: start + .seconds(second))
      return display.text
    }
  }

  @Test("without a terminal, the display writes a line at each quarter")
  func lines() {
    let events: [TransferUpdate.Event] = [
      .transferred(0, of: 1000), .transferred(240, of: 1000), .transferred(600, of: 1000), .note("again"),
      .transferred(610, of: 1000),
      .transferred(1000, of: 1000), .done("whole"),
    ]
    #expect(
      texts(events, isTerminal: false) == [
        "", "", "  file  50 % of 1.0 kB  300 B/s, 2 s left\n", "· file  again\n", "", "",
        "✓ file  1.0 kB  166 B/s  whole\n",
      ])
  }

  @Test("no speed is shown for a transfer that ends at once")
  func atOnce() {
    #expect(
      texts([.transferred(6, of: 6), .done("whole")], isTerminal: false).last == "✓ file  6 B  whole\n")
    #expect(texts([.done("was there")], isTerminal: false) == ["✓ file  was there\n"])
  }

  @Test("on a terminal, each bar replaces the previous one, and lines appear above it")
  func bars() throws {
    let texts = texts(
      [.transferred(250, of: 1000), .transferred(500, of: 1000), .failed("gone")], isTerminal: true)
    #expect(texts[0].hasPrefix("\r\u{1B}[J  file "))
    #expect(texts[0].contains("  25 %"))
    #expect(texts[1].hasPrefix("\u{1B}[1A\r\u{1B}[J  file "))
    #expect(texts[1].contains("  50 %  500 B     250 B/s, 2 s left\n"))
    #expect(texts[1].contains("━") && texts[1].contains("─"))
    #expect(texts[2] == "\u{1B}[1A\r\u{1B}[J✗ file  gone\n")
  }

  @Test("the display draws at most ten times a second, and also when only time passes")
  func pace() {
    var display = ProgressDisplay(["file"], isTerminal: true)
    display.handle(TransferUpdate(0, .transferred(1, of: 10)), at: start)
    display.handle(TransferUpdate(0, .transferred(2, of: 10)), at: start + .milliseconds(50))
    #expect(display.text.isEmpty)
    display.handle(nil, at: start + .milliseconds(100))
    #expect(display.text.contains("  20 %"))
  }

  @Test("the display ends when all transfers have ended, and counts the failures")
  func end() {
    var display = ProgressDisplay(["a", "b"], isTerminal: false)
    display.handle(TransferUpdate(1, .failed("no")))
    #expect(!display.hasEnded)
    display.handle(TransferUpdate(0, .done("")))
    #expect(display.hasEnded)
    #expect(display.failures == 1)
  }

  @Test("a transfer of unknown length shows the bytes received")
  func unknownLength() {
    let texts = texts([.transferred(0, of: 0), .transferred(5_000_000, of: 0)], isTerminal: true)
    #expect(texts[1].contains("  … %  5.0 MB    5.0 MB/s\n"))
  }

  @Test("a name cannot control the terminal")
  func escapes() {
    var display = ProgressDisplay(["a\u{1B}[2Jb"], isTerminal: false)
    display.handle(TransferUpdate(0, .failed("c\u{1B}d")))
    #expect(display.text == "✗ a\u{FFFD}[2Jb  c\u{FFFD}d\n")
  }
}

@Suite("The meter")
struct SpeedMeterTests {
  private let start = ContinuousClock.now

  @Test("the meter measures only the last seconds")
  func window() {
    var meter = SpeedMeter()
    for second in 0...10 {
      let bytes: Int64 = second < 6 ? 0 : Int64(second - 5) * 100
      meter.record(bytes, at: start + .seconds(second))
    }
    #expect(meter.speed(at: start + .seconds(10)) == 100)
  }

  @Test("bytes that existed at the beginning do not count")
  func baseline() {
    var meter = SpeedMeter()
    meter.record(1_000_000, at: start)
    #expect(meter.speed(at: start) == nil)
    meter.record(1_000_200, at: start + .seconds(2))
    #expect(meter.speed(at: start + .seconds(2)) == 100)
  }

  @Test("the speed falls when no more bytes arrive")
  func stalled() throws {
    var meter = SpeedMeter()
    meter.record(0, at: start)
    meter.record(100, at: start + .seconds(1))
    #expect(try #require(meter.speed(at: start + .seconds(10))) == 10)
  }
}

@Suite("Numbers as text")
struct WordingTests {
  @Test(
    "bytes are shown as text",
    arguments: [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB")])
  func bytes(count: Int64, text: String) { #expect(count.inBytes == text) }

  @Test("the largest number of bytes is shown as text")
  func largest() { #expect(Int64.max.inBytes == "9.2 EB") }

  @Test(
    "seconds are shown as text",
    arguments: [(0.2, "1 s"), (59, "59 s"), (60, "1:00 min"), (3599.5, "1:00 h"), (1e9, "days")])
  func seconds(seconds: Double, text: String) { #expect(seconds.asDuration == text) }
}

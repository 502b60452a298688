import ReactiveNetworkLock
import Testing

@Suite("Durations in seconds")
struct DurationSecondsTests {
  @Test(
    "a duration and its number of seconds are converted into each other",
    arguments: [
      (.zero, 0), (.seconds(5), 5), (.milliseconds(300), 0.3), (.microseconds(500), 0.000_5),
      (.milliseconds(1500), 1.5), (.seconds(-2), -2), (.milliseconds(-250), -0.25),
      (.milliseconds(1200), 1.2), (.milliseconds(1300), 1.3), (.milliseconds(60_100), 60.1),
      (.seconds(1_000_000_000_000_000_000), 1e18), (.seconds(-1_000_000_000_000_000_000), -1e18),
    ] as [(Duration, Double)])
  func conversion(duration: Duration, seconds: Double) {
    #expect(duration.inSeconds == seconds)
    #expect(Duration.inSeconds(seconds) == duration)
  }

  // 1 + 0.14 is 1.1400000000000001.
  @Test(
    "seconds with a fraction are the nearest number",
    arguments: [(1_140, 1.14), (-1_140, -1.14), (2_363_700, 2_363.7), (-978_307_199_700, -978_307_199.7)])
  func fraction(milliseconds: Int, seconds: Double) {
    #expect(Duration.milliseconds(milliseconds).inSeconds == seconds)
  }

  // A quotient of the two attosecond counts would be rounded twice: 2,363 s would become 2363.0000000000005.
  @Test("whole seconds stay whole, also many of them", arguments: [2_363, 1_000_003, -978_307_198])
  func whole(seconds: Int) {
    #expect(Duration.seconds(seconds).inSeconds == Double(seconds))
    #expect(Duration.inSeconds(Double(seconds)) == .seconds(seconds))
  }

  @Test("more than 10¹⁸ seconds count as 10¹⁸, in both directions")
  func clamped() {
    let longest = Duration.seconds(1_000_000_000_000_000_000)
    for seconds in [1.1e18, .greatestFiniteMagnitude, .infinity] {
      #expect(Duration.inSeconds(seconds) == longest)
      #expect(Duration.inSeconds(-seconds) == Duration.zero - longest)
    }
  }

  @Test("NaN counts as 0")
  func notANumber() {
    #expect(Duration.inSeconds(.nan) == .zero)
  }
}

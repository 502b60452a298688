import ExampleSupport
import Locking

/// The events of a session with their times in seconds: keystrokes, requests and how they ended, and what was
/// rendered.
struct Timeline {
  enum Ending {
    case cancelled
    case answered
    case failed
  }

  struct Key {
    let time: Double
    let label: String
  }

  struct Search {
    let query: String
    /// The time of the last key before the text was searched for.
    let typed: Double
    let sent: Double
    /// When and how the request ended; `nil` while it is in progress.
    var end: (time: Double, how: Ending)?
  }

  struct Rendering {
    let time: Double
    let text: String
    let isFailure: Bool
  }

  private(set) var keys: [Key] = []
  private(set) var searches: [Search] = []
  private(set) var renderings: [Rendering] = []

  mutating func type(_ label: String, at time: Double) {
    keys.append(Key(time: time, label: label))
  }

  mutating func ask(_ query: String, at time: Double) {
    searches.append(Search(query: query, typed: keys.last?.time ?? time, sent: time))
  }

  mutating func end(_ query: String, _ how: Ending, at time: Double) {
    // The oldest one, because the same text is only requested again when the first request has ended or is
    // about to.
    guard let index = searches.firstIndex(where: { $0.query == query && $0.end == nil }) else { return }
    searches[index].end = (time, how)
  }

  mutating func render(_ text: String, isFailure: Bool = false, at time: Double) {
    renderings.append(Rendering(time: time, text: text, isFailure: isFailure))
  }

  /// Returns the number of requests that ended in a given way.
  func count(_ how: Ending) -> Int { searches.count { $0.end?.how == how } }

  /// The time of the last event.
  var end: Double {
    (keys.map(\.time) + searches.map { $0.end?.time ?? $0.sent } + renderings.map(\.time)).max() ?? 0
  }
}

/// Records events on a time axis that begins with the first event.
final class Stopwatch: View {
  private struct State {
    var timeline = Timeline()
    var start: ContinuousClock.Instant?
  }

  private let state = Lock(State())

  /// The events recorded so far.
  var timeline: Timeline { state.withLock { $0.timeline } }

  func typed(_ key: Key, _ text: String) { note { $0.type(key.label, at: $1) } }
  func asked(for query: String) { note { $0.ask(query, at: $1) } }
  func cancelled(_ query: String) { note { $0.end(query, .cancelled, at: $1) } }
  func answered(_ query: String) { note { $0.end(query, .answered, at: $1) } }
  func failed(_ query: String) { note { $0.end(query, .failed, at: $1) } }

  func show(_ outcome: Outcome) {
    note { timeline, time in
      switch outcome {
      case .cleared: timeline.render("nothing to search for", at: time)
      case .found(let page, let query):
        timeline.render("\(page.totalCount.counted("result")) for “\(query)”", at: time)
      case .failed(let reason, let query):
        timeline.render("“\(query)”: \(reason)", isFailure: true, at: time)
      }
    }
  }

  private func note(_ change: (inout Timeline, Double) -> Void) {
    state.withLock { state in
      let now = ContinuousClock.now
      let start = state.start ?? now
      state.start = start
      change(&state.timeline, (now - start) / .seconds(1))
    }
  }
}

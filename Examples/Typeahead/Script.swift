import LoopbackServer
import ReactiveNetwork

/// A simulated typist: bursts of keys, typos, pauses.
struct Script {
  /// Three typos, four texts that are replaced before they are answered, and two that are answered.
  static let standard = Script(text: "sq<w|i|fr|<t. ~rc<|x.")

  /// The time between two keys of a burst: well below the pause that the pipeline waits for.
  private static let betweenKeys: TimeInterval = 0.05
  /// The longest wait before the typing continues regardless.
  private static let patience: TimeInterval = 5

  /// The keys and pauses.
  ///
  /// `<` is Backspace; `|` waits until the text has been requested, `.` until all responses have been shown,
  /// and `~` is a short pause. All other characters are typed.
  let text: String

  /// Types the script; returns at its end.
  func play(into keys: PublishSubject<Key>, journal: Journal, server: LoopbackServer?, timeout: TimeInterval)
  {
    var asked = 0
    for character in text {
      switch character {
      case "|", ".":
        asked += 1
        journal.wait(Self.patience) { $0.sent >= asked }
        // The next key must not cancel the request before it has reached the server.
        _ = try? server?.waitUntil(timeout: .seconds(Self.patience)) { $0.requestCount >= asked }
        guard character == "." else { continue }
        journal.wait(timeout + Self.patience) { $0.isSettled && $0.rendered >= $0.answered + $0.failed }
        Thread.sleep(forTimeInterval: 0.4)
      case "~":
        Thread.sleep(forTimeInterval: 0.2)
      default:
        keys.onNext(character == "<" ? .backspace : .character(character))
        Thread.sleep(forTimeInterval: Self.betweenKeys)
      }
    }
  }
}

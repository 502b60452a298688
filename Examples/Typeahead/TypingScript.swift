import LoopbackServer
import ReactiveNetwork

/// A simulated typist: bursts of keys, typos, pauses.
struct TypingScript {
  /// Three typos, four texts that are replaced before they are answered, and two that are answered.
  static let standard = TypingScript(text: "sq<w|i|fr|<t. ~rc<|x.")

  /// The time between two keys of a burst: well below the pause that the pipeline waits for.
  private static let betweenKeys: TimeInterval = 0.05
  /// The longest wait before the typing continues regardless.
  private static let maximumWait: TimeInterval = 5

  /// The keys and pauses.
  ///
  /// `<` is Backspace; `|` waits until the text has been requested, `.` until all responses have been shown,
  /// and `~` is a short pause. All other characters are typed.
  let text: String

  /// Types the script; returns at its end.
  func play(
    into keys: PublishSubject<Key>, counter: EventCounter, server: LoopbackServer?, timeout: TimeInterval
  ) {
    var requested = 0
    for character in text {
      switch character {
      case "|", ".":
        requested += 1
        counter.wait(Self.maximumWait) { $0.sent >= requested }
        // The next key must not cancel the request before it has reached the server.
        _ = try? server?.waitUntil(timeout: .seconds(Self.maximumWait)) { $0.requestCount >= requested }
        guard character == "." else { continue }
        counter.wait(timeout + Self.maximumWait) {
          $0.allRequestsEnded && $0.rendered >= $0.answered + $0.failed
        }
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

import Foundation
import LoopbackServer
import RxLite

/// Somebody who types: bursts of keys, slips of the finger, pauses.
struct Script {
  /// Three typos, four texts that are given up for a newer one, and two that are answered.
  static let standard = Script(text: "sq<w|i|fr|<t. ~rc<|x.")

  /// Between the keys of a burst: well below the rest that the pipeline waits for.
  private static let betweenKeys: TimeInterval = 0.05
  /// How long a wait may take before the typing goes on regardless.
  private static let patience: TimeInterval = 5

  /// The keys and pauses.
  ///
  /// `<` is Backspace; `|` waits until the text has been asked for, `.` until all answers have been shown, and `~` is
  /// a moment's rest. All else is typed.
  let text: String

  /// Types; returns when the script has come to its end.
  func play(into keys: PublishSubject<Key>, journal: Journal, server: LoopbackServer?, timeout: TimeInterval)
  {
    var asked = 0
    for character in text {
      switch character {
      case "|", ".":
        asked += 1
        journal.wait(Self.patience) { $0.sent >= asked }
        // What is typed on before the server has a request would cancel it before it is sent.
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

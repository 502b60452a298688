import Foundation
import ReactiveNetworkExamples
import ReactiveNetworkLock

/// Shows each event as a line with its time.
final class Transcript: Sendable {
  private let start = Date()
  /// Prevents threads from mixing their lines.
  private let output = Lock(())

  func begin(isInteractive: Bool) {
    let (first, second) = (DialogueScript.first, DialogueScript.second)
    let introduction =
      isInteractive
      ? "You are \(first), and \(second) answers. Type a line and press Return; /quit ends the chat."
      : "\(first) and \(second) talk over a server that drops connections."
    write(
      """
      \(introduction)

        time  who    what happens
      ──────  ─────  ──────────────────────────────────────────────────────────

      """)
  }

  func show(_ event: ChatEvent, of name: String, isRepetition: Bool) {
    switch event {
    case .connecting: break
    case .connected: line(name, "⇄ connected")
    case .sent(let chat): line(name, (isRepetition ? "↻ " : "→ ") + chat.text)
    case .lost(let error): line(name, "✗ " + explanation(of: error))
    case .delivered(let room):
      line(name, room.line.author == name ? "✓ confirmed as line \(room.number)" : "← " + room.line.text)
    }
  }

  private func line(_ name: String, _ text: String) {
    output.withLock { _ in
      let time = String(format: "%6.3f", Date().timeIntervalSince(start))
      write("\(time)  \(name.padded(to: 5))  \(text.fitted(to: 120))\n")
    }
  }
}

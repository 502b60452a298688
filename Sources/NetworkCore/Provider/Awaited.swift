import Foundation
import Synchronization

/// A question that somebody else answers; one who lets go of it without an answer has answered too.
///
/// Only the first answer must count for `action`.
final class Awaited<Answer: Sendable>: Sendable {
  private let unanswered: @Sendable () -> Answer
  private let action: @Sendable (Answer) -> Void
  private let isAnswered = Atomic(false)

  init(
    orElse unanswered: @escaping @autoclosure @Sendable () -> Answer,
    _ action: @escaping @Sendable (Answer) -> Void
  ) {
    self.unanswered = unanswered
    self.action = action
  }

  deinit {
    if !isAnswered.load(ordering: .relaxed) { action(unanswered()) }
  }

  func callAsFunction(_ answer: Answer) {
    isAnswered.store(true, ordering: .relaxed)
    action(answer)
  }
}

/// What was asked for the request never called its closure.
struct UnansweredRequest: LocalizedError {
  let asked: String

  var errorDescription: String? { "The \(asked) let go of its closure without calling it." }
}

import ReactiveNetwork

/// What happens while an answer arrives.
enum AnswerReport: Sendable {
  /// A request is sent.
  case asking
  /// A connection was lost after the beginning of the answer, or refused.
  case lost(any Error, after: AnswerProgress)
  /// The answer has ended.
  case ended(AnswerProgress)
}

/// Turns a conversation into the model's answer; the core of the program.
struct AnswerPipeline {
  let provider: NetworkProvider<ModelService>
  let model: ModelService.Model
  let report: @Sendable (AnswerReport) -> Void

  /// Asks for the answer, and emits its text in pieces; disposing the subscription cancels it on the wire.
  ///
  /// If the connection is lost, asks for the rest, at most three times: with `Last-Event-ID` for a server that
  /// numbers its events, and with a further turn of the conversation for one that does not.
  func answer(to conversation: [Message]) -> Observable<String> {
    Observable.deferred {
      let progress = BehaviorRelay(value: AnswerProgress())
      return Observable.deferred {
        report(.asking)
        return provider.rx.events(
          .answer(to: conversation.continuing(progress.value.text), by: model),
          lastEventID: progress.value.lastEventID, retryableHTTPMethods: [])
      }
      .map { ($0.id, try model.api.answerEvent($0)) }
      .do(onNext: { progress.accept(progress.value.adding($1, id: $0)) })
      .take(until: { $1 == .end }, behavior: .inclusive)
      .concat(Observable.deferred { progress.value.hasStopped ? .empty() : .error(AnswerError.cutOff) })
      .do(
        onError: { report(.lost($0, after: progress.value)) }, onCompleted: { report(.ended(progress.value)) }
      )
      .retry(
        backoff: .exponential(initial: .milliseconds(200), max: .seconds(5)), maxAttempts: 4,
        // Nothing is stored that a repetition could store twice.
        retryableHTTPMethods: [.post], when: { mayPass($0) }
      )
      .compactMap { if case .text(let text) = $1, !text.isEmpty { text } else { nil } }
    }
  }
}

/// What has arrived of an answer.
struct AnswerProgress: Sendable {
  var text = ""
  var lastEventID = ""
  /// Why the model has stopped; `nil` if it has not.
  var stopReason: String?
  private var hasEnded = false

  /// `true` if no more text follows.
  var hasStopped: Bool { hasEnded || stopReason != nil }

  func adding(_ event: AnswerEvent, id: String) -> AnswerProgress {
    var next = self
    next.lastEventID = id
    switch event {
    case .text(let piece): next.text += piece
    case .stopped(let reason): next.stopReason = reason
    case .end: next.hasEnded = true
    case .other: break
    }
    return next
  }
}

/// Returns `true` if a further request may succeed.
func mayPass(_ error: any Error) -> Bool {
  switch error {
  case let error as AnswerError: error.isTransient
  // Anthropic's status for an overloaded service.
  case let error as NetworkError: error.isTransient || error.response?.statusCode == 529
  default: false
  }
}

import ReactiveNetwork
import ReactiveNetworkExamples
import ReactiveNetworkLock

/// A conversation: asks, shows the answers while they arrive, and remembers both.
final class Conversation: Sendable {
  /// How an answer ended.
  enum Ending: Sendable {
    case complete
    case cancelled
    case failed
  }

  /// What has happened so far.
  struct Log: Sendable {
    var answers: [(question: String, text: String, ending: Ending)] = []
    /// The number of requests.
    var sent = 0
    /// The number of requests that the server refused with a status.
    var refused = 0
    /// The number of answers that broke off.
    var lost = 0
  }

  fileprivate struct State: Sendable {
    var log = Log()
    var messages: [Message] = []
    var filter: KeyFilter
    /// The text of the answer that arrives; `nil` between answers.
    var answer: String?
    var ending = Ending.cancelled
    /// What to say before the next request of the same answer.
    var interruption: String?
    var isMidLine = false
  }

  private let model: ModelService.Model
  /// Follows no redirect, which would take the key and the conversation to another server.
  private let provider = NetworkProvider<ModelService>(
    session: Session(configuration: .ephemeral, redirectHandler: .doNotFollow))
  private let state: Lock<State>
  private let cancellations = PublishSubject<Void>()
  /// Where everything goes that is not an answer.
  private let notes: FileHandle

  init(with model: ModelService.Model, notes: FileHandle) {
    (self.model, self.notes) = (model, notes)
    state = Lock(State(filter: KeyFilter(model.key)))
  }

  var log: Log { state.withLock { $0.log } }

  /// Cancels the answer that arrives; returns `false` if there is none.
  func cancel() -> Bool {
    guard state.withLock({ $0.answer != nil }) else { return false }
    cancellations.onNext(())
    return true
  }

  /// Asks a question and shows the answer; completes when it has ended, in whichever way.
  ///
  /// The answer is cancelled after `longest` pieces, unless that is `nil`.
  func ask(_ question: String, cancelsAfter longest: Int? = nil) -> Observable<Never> {
    Observable.deferred { [self] in
      let asked = state.withLock { state in
        (state.answer, state.ending) = ("", .cancelled)
        return state.messages + [Message(role: .user, content: question)]
      }
      return AnswerPipeline(provider: provider, model: model, report: { [self] in note($0) })
        .answer(to: asked)
        .enumerated()
        .do(onNext: { [self] index, piece in
          show(state.withLock { $0.add(piece) })
          if index + 1 == longest { _ = cancel() }
        })
        .take(until: cancellations)
        .catch { [self] error in
          fail(error)
          return .empty()
        }
        .ignoreElements().asObservable()
        .concat(
          Observable.deferred { [self] in
            finish(question)
            return .empty()
          })
    }
  }

  private func note(_ report: AnswerReport) {
    switch report {
    case .asking:
      let interruption = state.withLock { state in
        state.log.sent += 1
        defer { state.interruption = nil }
        return state.interruption
      }
      if let interruption { note(interruption) }
    case .lost(let error, let progress):
      let isRefused = (error as? NetworkError)?.isRefusal ?? false
      let words = progress.text.split(whereSeparator: \.isWhitespace).count
      let request = words == 0 ? "asking again" : "\(words.counted("word")) arrived, asking for the rest"
      let cause = reason(error)
      state.withLock { state in
        if isRefused { state.log.refused += 1 } else { state.log.lost += 1 }
        state.interruption = "\(cause.hasSuffix(".") ? String(cause.dropLast()) : cause); \(request)"
      }
    case .ended(let progress):
      state.withLock { $0.ending = .complete }
      switch progress.stopReason {
      case nil, "stop"?, "end_turn"?, "stop_sequence"?: break
      case let reason?: note("the model stopped early: \(reason.fitted(to: 40))")
      }
    }
  }

  private func fail(_ error: any Error) {
    let text = state.withLock { state in
      state.ending = .failed
      return state.answer ?? ""
    }
    let words = text.split(whereSeparator: \.isWhitespace).count
    let loss = words == 0 ? "no answer" : "the answer is lost after \(words.counted("word"))"
    note("\(loss): \(reason(error))")
  }

  private func finish(_ question: String) {
    show(state.withLock { $0.finish(question) })
  }

  private func show(_ text: String) {
    guard !text.isEmpty else { return }
    state.withLock { $0.isMidLine = !text.hasSuffix("\n") }
    write(text.withoutControlCharacters)
  }

  private func note(_ text: String) {
    let (isMidLine, text) = state.withLock { ($0.isMidLine, $0.filter.whole(text)) }
    // Between the words of an answer that goes elsewhere, the line would not begin in the middle of another.
    let breaksLine =
      isMidLine && Console.isTerminal(notes.fileDescriptor) || isMidLine && notes == .standardOutput
    try? output((breaksLine ? "\n" : "") + "ask: " + text.fitted(to: 300) + "\n", to: notes)
    if breaksLine { state.withLock { $0.isMidLine = false } }
  }

  /// Explains an error in one line, with what the server says about it.
  private func reason(_ error: any Error) -> String {
    guard case .statusCode(let response)? = error as? NetworkError else { return explanation(of: error) }
    let body = try? JSONDecoder().decode([String: ReportedError].self, from: response.data)
    let message = body?["error"]?.message.map { ": \($0)" } ?? ""
    let isUnauthorized = response.statusCode == 401 && model.key == nil
    return explanation(of: error) + message
      + (isUnauthorized ? " (\(model.api.keyVariable) is not set)" : "")
  }
}

extension Conversation.State {
  /// Adds a piece of the answer; returns what to show of it.
  fileprivate mutating func add(_ piece: String) -> String {
    answer = (answer ?? "") + piece
    return filter.filter(piece)
  }

  /// Ends the answer; returns what is left to show.
  fileprivate mutating func finish(_ question: String) -> String {
    let text = answer ?? ""
    log.answers.append((question, text, ending))
    // A question without any answer would be asked twice.
    if !text.isEmpty {
      messages += [Message(role: .user, content: question), Message(role: .assistant, content: text)]
    }
    (answer, interruption) = (nil, nil)
    let rest = filter.finish()
    let isMidLine = rest.isEmpty ? isMidLine : !rest.hasSuffix("\n")
    return rest + (isMidLine ? "\n" : "")
  }
}

extension NetworkError {
  /// `true` if the server refused the request with a status.
  fileprivate var isRefusal: Bool { if case .statusCode = self { true } else { false } }
}

import ReactiveNetwork
import ReactiveNetworkExamples
import ReactiveNetworkLock

/// Assembles the parts, asks the questions, and compares the counts with those of the built-in server.
struct Program {
  let arguments: Arguments

  /// Runs the program; returns the exit status.
  func run() throws -> Int32 {
    let server = arguments.url == nil ? try ModelServer() : nil
    guard let url = arguments.url ?? server?.baseURL else { return 1 }
    let isScript = arguments.question == nil && !arguments.isInteractive
    let conversation = Conversation(with: model(at: url), notes: isScript ? .standardOutput : .standardError)

    let signal = Lock<Int32?>(nil)
    // At the prompt of a terminal, Ctrl-C ends the program; during an answer, it cancels the answer.
    let cancels = arguments.question == nil && isTerminal
    let quit = terminationSignals().filter { !(cancels && $0 == SIGINT && conversation.cancel()) }
      .do(onNext: { number in signal.withLock { $0 = number } })
    let end = answers(in: conversation).take(until: quit).toBlocking().materialize()
    if case .failed(_, let error) = end { throw error }

    if let signal = signal.withLock({ $0 }) { return 128 + signal }
    let hasFailed = conversation.log.answers.contains { $0.ending == .failed }
    guard let server, isScript else { return hasFailed ? 1 : 0 }
    let summary = Summary(log: conversation.log, seen: try server.finish())
    try output("\n\(summary.text)\n")
    for disagreement in summary.disagreements { printError("the numbers disagree: \(disagreement)", "ask") }
    return hasFailed || !summary.disagreements.isEmpty ? 1 : 0
  }

  private var isTerminal: Bool { Console.isTerminal(STDIN_FILENO) }

  private func model(at url: URL) -> ModelService.Model {
    let key = ProcessInfo.processInfo.environment[arguments.api.keyVariable]?
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return ModelService.Model(
      api: arguments.api, baseURL: url, name: arguments.model ?? arguments.api.defaultModel,
      // The built-in server needs none.
      key: arguments.url == nil || key?.isEmpty ?? true ? nil : key, patience: .seconds(arguments.patience))
  }

  /// Asks the questions one after another.
  private func answers(in conversation: Conversation) -> Observable<Never> {
    if let question = arguments.question { return conversation.ask(question) }
    guard arguments.isInteractive else {
      return Observable.from(AnswerScript.entries).concatMap { entry in
        Observable.deferred {
          try output("\n> \(entry.question)\n")
          return conversation.ask(
            entry.question, cancelsAfter: entry.fault == .endless ? AnswerScript.endlessWords : nil)
        }
      }
    }
    let prompt = Observable<Never>.deferred {
      if isTerminal { try? output("> ", to: .standardError) }
      return .empty()
    }
    return prompt.concat(
      inputLines().take(while: { $0 != "/quit" }).filter { !$0.allSatisfy(\.isWhitespace) }
        .concatMap { conversation.ask($0).concat(prompt) })
  }
}

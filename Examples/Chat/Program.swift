import ReactiveNetwork
import ReactiveNetworkExamples
import ReactiveNetworkLock

/// Assembles the parts of a chat in this process, runs them and prints the summary.
struct Program {
  let arguments: Arguments

  /// Runs the program; returns the exit status.
  func run() throws -> Int32 {
    let server = try ChatServer()
    let transcript = Transcript()
    let people = [DialogueScript.first, DialogueScript.second].map {
      Person($0, sendsOnce: arguments.sendsOnce, transcript: transcript)
    }
    transcript.begin(isInteractive: arguments.isInteractive)

    let signal = Lock<Int32?>(nil)
    let end = conversation(of: people, at: server.baseURL)
      .take(until: \.isOver, behavior: .inclusive)
      .take(until: terminationSignals().do(onNext: { number in signal.withLock { $0 = number } }))
      .ignoreElements().toBlocking().materialize()
    if case .failed(_, let error) = end { throw error }
    if let signal = signal.withLock({ $0 }) { return 128 + signal }

    let seen = try server.finish()
    return try report(Summary(people: people.map(\.log), room: seen.room, handshakes: seen.handshakes))
  }

  /// Says the remarks when their time has come; emits the state of the conversation after each event.
  private func conversation(of people: [Person], at server: URL) -> Observable<Conversation> {
    // The first line that one person receives is the first of the other, and so on.
    let heard = Observable.zip(people[0].join(server), people[1].join(server)) { first, _ in
      Conversation.Event.heard(first.line)
    }
    let typed = inputLines().take(while: { $0 != "/quit" }).filter { !$0.isEmpty }
      .map(Conversation.Event.typed).concat(Observable.just(.inputEnded))
    let patience = RxTimeInterval.milliseconds(Int(arguments.patience * 1000))
    return Observable.merge(.just(.began), heard, arguments.isInteractive ? typed : .empty())
      .scan(into: Conversation(script: arguments.isInteractive ? nil : DialogueScript.remarks)) {
        $0.handle($1)
      }
      .do(onNext: { conversation in
        for remark in conversation.remarks { people.first { $0.name == remark.author }?.say(remark.text) }
      })
      .flatMapLatest { conversation in
        guard conversation.isWaiting else { return Observable.just(conversation) }
        return Observable<Int>.timer(patience, scheduler: ConcurrentDispatchQueueScheduler(qos: .utility))
          .map { _ in conversation.givingUp() }
          .startWith(conversation)
      }
  }

  private func report(_ summary: Summary) throws -> Int32 {
    let text =
      Console.isTerminal(STDOUT_FILENO) ? summary.text.wrapped(to: Console.size.columns) : summary.text
    try output("\n\(text)\n")
    let disagreements = summary.disagreements
    for disagreement in disagreements { printError("the numbers disagree: \(disagreement)", "chat") }
    return disagreements.isEmpty ? 0 : 1
  }
}

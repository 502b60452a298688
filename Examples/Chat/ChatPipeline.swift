import ReactiveNetwork

/// What happens to one person's side of a chat.
enum ChatEvent: Sendable {
  case connecting
  case connected
  case sent(ChatLine)
  case lost(any Error)
  case delivered(RoomLine)
}

/// One person's side of a chat; the core of the program.
struct ChatPipeline {
  let provider: NetworkProvider<ChatService>
  let server: URL
  let name: String
  /// Called with each event.
  let report: @Sendable (ChatEvent) -> Void

  /// Sends the lines that the person says, and emits the lines of the room: each once and in order, although
  /// connections are lost.
  ///
  /// - Parameter said: the lines that the person says; it replays them to each connection.
  /// - Returns: The lines of the room, without an end.
  func lines(saying said: Observable<ChatLine>) -> Observable<RoomLine> {
    Observable.deferred {
      let progress = BehaviorRelay(value: Progress())
      // Nothing tells whether a lost connection has delivered a line, so the next one sends it again until the
      // room contains it. The server recognizes it by its identifier.
      let unconfirmed = said.filter { !progress.value.confirmed.contains($0.id) }
        .do(onNext: { report(.sent($0)) }, onSubscribe: { report(.connected) })
        .map { try $0.message() }
      return Observable.deferred {
        report(.connecting)
        // The server does not repeat what a lost connection has missed, unless it is asked to.
        return provider.rx.webSocket(
          .room(after: progress.value.last, name: name, at: server), sending: unconfirmed)
      }
      .decode(RoomLine.self)
      .do(
        onNext: { progress.accept(progress.value.adding($0)) },
        onError: { report(.lost($0)) }
      )
      .retry(
        backoff: .exponential(initial: .milliseconds(50), max: .milliseconds(500)), maxAttempts: .max,
        resetOnSuccess: true
      )
      .do(onNext: { report(.delivered($0)) })
    }
  }

  /// What a person has received.
  private struct Progress {
    var last = 0
    var confirmed: Set<String> = []

    func adding(_ line: RoomLine) -> Progress {
      Progress(last: line.number, confirmed: confirmed.union([line.line.id]))
    }
  }
}

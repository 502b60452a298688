import ReactiveNetwork
import ReactiveNetworkLock

/// One of the people: says lines, and records what happens to them.
final class Person: Sendable {
  /// What has happened on this person's side.
  struct Log: Sendable {
    var said: [ChatLine] = []
    /// The number of times that a line was sent.
    var sent = 0
    /// The identifiers of the lines that were sent.
    var sentIDs: Set<String> = []
    var delivered: [RoomLine] = []
    /// The number of attempts to connect.
    var connections = 0
    /// The number of connections lost, and of attempts that failed.
    var lost = 0
  }

  let name: String
  private let state = Lock(Log())
  /// Replays the lines, because elements of a `PublishSubject` are lost while there is no connection.
  private let said = ReplaySubject<ChatLine>.createUnbounded()
  private let sendsOnce: Bool
  private let transcript: Transcript

  init(_ name: String, sendsOnce: Bool, transcript: Transcript) {
    self.name = name
    self.sendsOnce = sendsOnce
    self.transcript = transcript
  }

  var log: Log { state.withLock { $0 } }

  func say(_ text: String) {
    let line = state.withLock { log in
      let line = ChatLine(id: "\(name)-\(log.said.count + 1)", author: name, text: text)
      log.said.append(line)
      return line
    }
    said.onNext(line)
  }

  /// Joins the room of a server, and emits its lines.
  func join(_ server: URL) -> Observable<RoomLine> {
    let lines =
      sendsOnce ? said.filter { [self] line in !log.sentIDs.contains(line.id) } : said.asObservable()
    return ChatPipeline(
      provider: NetworkProvider(), server: server, name: name, report: { [self] in record($0) }
    ).lines(saying: lines)
  }

  private func record(_ event: ChatEvent) {
    let isRepetition = state.withLock { log in
      switch event {
      case .connecting: log.connections += 1
      case .connected: break
      case .sent(let line):
        log.sent += 1
        return !log.sentIDs.insert(line.id).inserted
      case .lost: log.lost += 1
      case .delivered(let line): log.delivered.append(line)
      }
      return false
    }
    transcript.show(event, of: name, isRepetition: isRepetition)
  }
}

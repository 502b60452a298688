import ReactiveNetwork
import ReactiveNetworkExamples
import ReactiveNetworkLock

/// A chat with a server about which nothing is known: sends lines as text, and prints messages.
///
/// A lost connection ends it, because a server that does not confirm lines leaves open which of them have
/// arrived.
struct DirectChat {
  private struct Server: TargetType {
    let baseURL: URL
    var path: String { "" }
  }

  let url: URL

  /// Runs the chat; returns the exit status.
  func run() throws -> Int32 {
    let signal = Lock<Int32?>(nil)
    let lines = inputLines()
      .take(until: terminationSignals().do(onNext: { number in signal.withLock { $0 = number } }))
      .take(while: { $0 != "/quit" })
    let end = NetworkProvider<Server>().rx
      .webSocket(Server(baseURL: url), sending: lines.map(WebSocketMessage.text), closesAfterSending: true)
      .do(onNext: { message in
        switch message {
        case .text(let text): try output(text.fitted(to: 10_000) + "\n")
        case .binary(let data): try output("(\(Int64(data.count).inBytes))\n")
        }
      })
      .ignoreElements().toBlocking().materialize()
    if case .failed(_, let error) = end { throw ProgramError(explanation(of: error)) }
    return signal.withLock { $0.map { 128 + $0 } ?? 0 }
  }
}

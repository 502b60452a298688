import Foundation
import LoopbackServer
import ReactiveNetworkLock

/// A server in this process with the events of both APIs, whose answers and faults are those of the script.
final class ModelServer: Sendable {
  /// What the server has seen.
  struct Log {
    let requests: Int
    /// The requests that were refused because of overload.
    let refused: Int
    /// The answers that the server broke off.
    let brokenOff: Int
    /// The answers that the client stopped reading.
    let abandoned: Int
  }

  private let server: LoopbackServer
  private let faults = ScriptedFaults()
  /// Never opened, so that an endless answer only ends if it is cancelled.
  private static let gate = LoopbackServer.Gate()

  init() throws {
    server = try LoopbackServer()
    for api in [ModelAPI.openAI, .anthropic] {
      server.route("POST", "/v1/\(api.path)") { [faults] request in
        guard let asked = try? JSONDecoder().decode(ModelRequest.self, from: request.body),
          let question = asked.messages.last(where: {
            $0.role == .user && $0.content != [Message].continuation
          })
        else { return Self.refusal(400, "invalid_request_error", "not a conversation") }
        let isResumed = asked.messages.last?.content == [Message].continuation
        let entry = AnswerScript.entry(for: question.content)
        let fault = faults.next(for: entry)
        guard fault != .overload else {
          return Self.refusal(api == .openAI ? 429 : 529, "overloaded_error", "Overloaded")
            .header("Retry-After", "1")
        }
        let beginning = isResumed ? asked.messages.dropLast().last?.content ?? "" : ""
        return Self.answer(String(entry.answer.dropFirst(beginning.count)), api, fault)
      }
    }
  }

  var baseURL: URL { server.baseURL.appendingPathComponent("v1") }

  /// Waits until all requests have ended, and returns what the server has seen.
  func finish() throws -> Log {
    let log = try server.waitUntil { $0.pending == 0 }
    return Log(
      requests: log.requestCount, refused: faults.refusals, brokenOff: log.brokenOff,
      abandoned: log.abandoned.count)
  }

  private static func refusal(_ status: Int, _ type: String, _ message: String) -> LoopbackServer.Reply {
    .json(encoding: ["error": ["type": type, "message": message]], status: status)
  }

  private static func answer(
    _ text: String, _ api: ModelAPI, _ fault: AnswerScript.Fault?
  ) -> LoopbackServer.Reply {
    let events = api.events(text)
    let reply = LoopbackServer.Reply.bytes(events.joined().utf8, type: "text/event-stream")
      .chunked().trickled(chunk: 150, every: .milliseconds(20))
    func length(_ count: Int) -> Int { events.prefix(count).reduce(0) { $0 + $1.utf8.count } }
    return switch fault {
    case .lostConnection: reply.truncated(after: length(events.count / 2) + 10)
    case .endless:
      reply.bodyHeld(until: gate, after: length(api.eventsBeforeText + AnswerScript.endlessWords))
    case .overload, nil: reply
    }
  }
}

/// The faults of the script, each of which happens once.
private final class ScriptedFaults: Sendable {
  private let happened = Lock([AnswerScript.Fault]())

  /// The number of requests refused because of overload.
  var refusals: Int { happened.withLock { $0.count { $0 == .overload } } }

  func next(for entry: AnswerScript.Entry) -> AnswerScript.Fault? {
    happened.withLock { happened in
      guard let fault = entry.fault, !happened.contains(fault) else { return nil }
      happened.append(fault)
      return fault
    }
  }
}

extension ModelAPI {
  fileprivate var eventsBeforeText: Int { self == .openAI ? 1 : 3 }

  /// The events of an answer, of which each has one word.
  fileprivate func events(_ text: String) -> [String] {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    let words = parts.enumerated().map { Self.json($1 + ($0 < parts.count - 1 ? " " : "")) }
    switch self {
    case .openAI:
      let choices =
        [#"{"delta": {"role": "assistant", "content": ""}, "finish_reason": null}"#]
        + words.map { #"{"delta": {"content": \#($0)}, "finish_reason": null}"# }
        + [#"{"delta": {}, "finish_reason": "stop"}"#]
      return choices.map { #"data: {"object": "chat.completion.chunk", "choices": [\#($0)]}"# + "\n\n" }
        + ["data: [DONE]\n\n"]
    case .anthropic:
      let payloads =
        [
          ("message_start", #""message": {"role": "assistant"}"#), ("content_block_start", #""index": 0"#),
          ("ping", #""index": 0"#),
        ]
        + words.map { ("content_block_delta", #""delta": {"type": "text_delta", "text": \#($0)}"#) }
        + [
          ("content_block_stop", #""index": 0"#), ("message_delta", #""delta": {"stop_reason": "end_turn"}"#),
          ("message_stop", #""index": 0"#),
        ]
      return payloads.map { "event: \($0)\ndata: {\"type\": \"\($0)\", \($1)}\n\n" }
    }
  }

  private static func json(_ text: String) -> String {
    (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }
}

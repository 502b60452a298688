import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

@Suite("The cases of HTTP caching", .timeLimit(.minutes(5)))
struct HTTPCachingSuiteTests {
  struct Sequence: Decodable, Sendable {
    let steps: [Step]
    /// Whether the responses are only kept in memory.
    let isPersonal: Bool?
  }

  /// A request, and what must come of it.
  struct Step: Decodable, Sendable {
    enum Outcome: String, Decodable, Sendable {
      /// The server responds, and the client receives its response.
      case origin
      /// The client receives a stored response, and the server no request.
      case stored
      /// The server responds with a 304, and the client receives a stored response.
      case validated
      /// The server fails, and the client receives a stored response.
      case stale
      /// The client receives a stored response, and the server a request all the same.
      case meanwhile
      /// The server fails, and so does the request.
      case failure
      /// The request fails, and the server receives none.
      case refused
    }

    /// `nil` for `origin`.
    let outcome: Outcome?
    /// The seconds that pass before the request.
    let after: TimeInterval?
    let method: String?
    let target: String?
    /// The lines of the request's head.
    ///
    /// In these and `fields`, `{60}` is the date in 60 seconds.
    let request: [String]?
    /// The status that the server sends, 0 to close the connection; for `stored` the one that the client receives.
    let status: Int?
    /// The lines of the server's head.
    let fields: [String]?
    /// The step whose response the client receives, for a stored one; `nil` for the first.
    let of: Int?
    /// The fields that the server must receive; an empty value for none.
    let asked: [String: String]?
    /// The fields that the client must receive; an empty value for none.
    let seen: [String: String]?

    var isAsked: Bool { outcome != .stored && outcome != .refused }
  }

  enum Store: CaseIterable, Sendable {
    case memory
    case files
  }

  @Test("the file is complete")
  func file() throws { try ForeignSuite<Sequence>.check("http-caching", count: 342) }

  @Test(
    "the requests and responses of each case", arguments: ForeignSuite<Sequence>.cases(of: "http-caching"),
    Store.allCases)
  func sequences(_ sequence: ForeignSuite<Sequence>.Case, store: Store) async throws {
    if store == .files, sequence.content.isPersonal == true { return }
    let client = try CachingClient(store)
    var deviation: String?
    for (index, step) in sequence.content.steps.enumerated() where deviation == nil {
      let first = sequence.content.steps[(step.of ?? 1) - 1]
      deviation = await client.deviation(from: step, index + 1, storedStatus: first.status ?? 200)
        .map { "\($0) in step \(index + 1)" }
    }
    sequence.expect(deviation == nil, deviation ?? "")
  }
}

/// A client with a cache, and a server that responds as the current step says.
private final class CachingClient: Sendable {
  private struct State {
    var now: TimeInterval = 1_700_000_000
    var reply = LoopbackServer.Reply.reset
    var requestCount = 0
  }

  /// The closures of server and cache share it.
  private final class SharedState: Sendable {
    let value = Lock(State())
  }

  private let state = SharedState()
  private let folder: TemporaryFolder
  private let server: LoopbackServer
  private let transport: CachingTransport

  init(_ store: HTTPCachingSuiteTests.Store) throws {
    let state = state
    folder = try TemporaryFolder()
    server = try LoopbackServer { _ in state.value.withLock { $0.reply } }
    let cache = try HTTPCache(
      memoryCapacity: store == .memory ? 1 << 20 : 0, directory: store == .files ? folder.url : nil)
    transport = CachingTransport(try CurlTransport(), cache: cache) {
      Date(timeIntervalSince1970: state.value.withLock { $0.now })
    }
  }

  /// Performs a step; returns how the outcome differs from the expected one.
  func deviation(
    from step: HTTPCachingSuiteTests.Step, _ number: Int, storedStatus: Int
  ) async -> String? {
    let outcome = step.outcome ?? .origin
    let now = state.value.withLock { state in
      state.now += step.after ?? 0
      return state.now
    }
    let status = outcome == .validated ? 304 : step.status ?? 200
    let isBodiless = step.method == "HEAD" || status == 204 || status == 304
    let reply =
      status == 0
      ? .reset
      : Self.reply(status, (step.fields ?? []).map { Self.dated($0, now) }, isBodiless ? nil : number)
    let count = state.value.withLock { state in
      state.reply = reply
      if step.isAsked { state.requestCount += 1 }
      return state.requestCount
    }
    let request = request(step, now)
    let events = await transport.exchange(request)
    if outcome == .meanwhile {
      var stored = request
      stored.cachePolicy = .storedOnly
      let isStored = await suspendUntil { await transport.exchange(stored).body == Data("\(number)".utf8) }
      if !isStored { return "no revalidation" }
    }
    let log = server.log
    if log.requestCount != count { return "\(log.requestCount) requests instead of \(count)" }
    for (name, value) in step.asked ?? [:] {
      let asked = log.requests.last?.headers[name] ?? ""
      if asked != value { return "a request with \(name): \(asked)" }
    }
    switch outcome {
    case .refused: return events.error == .notStored(url: request.url) ? nil : "\(events)"
    case .failure: return events.error == nil ? "\(events)" : nil
    default: break
    }
    let isOwn = outcome == .origin
    let received = isOwn || outcome == .stored ? step.status ?? (isOwn ? 200 : storedStatus) : storedStatus
    if let error = events.error { return "\(error)" }
    if events.status != received { return "status \(events.status ?? 0)" }
    let hasBody = step.method != "HEAD" && received != 204 && received != 304
    let body = hasBody ? "\(isOwn ? number : step.of ?? 1)" : ""
    if events.body != Data(body.utf8) { return "body \(String(decoding: events.body, as: UTF8.self))" }
    for (name, value) in step.seen ?? [:] {
      let seen = events.head?.headers[name] ?? ""
      if seen != value { return "a response with \(name): \(seen)" }
    }
    return nil
  }

  private func request(_ step: HTTPCachingSuiteTests.Step, _ now: TimeInterval) -> TransportRequest {
    let fields = (step.request ?? []).map { line in
      let halves = Self.dated(line, now).split(separator: ":", maxSplits: 1)
      return HTTPHeader(
        name: String(halves[0]), value: halves[1].trimmingCharacters(in: .whitespaces))
    }
    return TransportRequest(
      method: HTTPMethod(rawValue: step.method ?? "GET"), url: server.origin + (step.target ?? "/"),
      headers: HTTPHeaders(fields))
  }

  /// A reply without the fields that the server adds to others.
  private static func reply(_ status: Int, _ fields: [String], _ body: Int?) -> LoopbackServer.Reply {
    let length = body.map { ["Content-Length: \("\($0)".utf8.count)"] } ?? []
    let lines = ["HTTP/1.1 \(status) Status"] + fields + length + ["", body.map { "\($0)" } ?? ""]
    return .raw(lines.joined(separator: "\r\n").utf8, closing: true)
  }

  /// Replaces each number in braces by the date in so many seconds.
  private static func dated(_ line: String, _ now: TimeInterval) -> String {
    line.replacing(/\{(-?[0-9]+)\}/) { match in
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.timeZone = TimeZone(secondsFromGMT: 0)
      formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      return formatter.string(from: Date(timeIntervalSince1970: now + (TimeInterval(match.output.1) ?? 0)))
    }
  }
}

import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("Streams as sequences", .timeLimit(.minutes(5)))
struct StreamTests {
  private let provider = NetworkProvider<LoopbackTarget>()

  private func all<Element: Sendable>(_ source: Observable<Element>) async -> Result<[Element], any Error> {
    await source.toArray().result()
  }

  @Test("the chunks make up the body, and each subscription sends a request")
  func chunks() async throws {
    let server = try LoopbackServer { _ in .text("0123456789").chunked(size: 3) }
    let chunks = provider.rx.stream(LoopbackTarget(server, "/"))
    #expect(server.log.requestCount == 0)
    for _ in 0..<2 {
      let body = try await all(chunks).get().reduce(into: Data()) { $0.append($1) }
      #expect(body == Data("0123456789".utf8))
    }
    #expect(server.log.requestCount == 2)
  }

  @Test("a bad status is an error with its body")
  func badStatus() async throws {
    let server = try LoopbackServer { _ in .text("not here", status: 404) }
    let error = await all(provider.rx.stream(LoopbackTarget(server, "/"))).networkError
    #expect(error?.response?.statusCode == 404)
    #expect(error?.response?.data == Data("not here".utf8))
  }

  @Test("disposing cancels the transfer, and nothing is delivered after that")
  func disposing() async throws {
    let server = try LoopbackServer { _ in .repeating(7, count: 1 << 40) }
    let notes = Log()
    let (firsts, first) = AsyncStream.makeStream(of: Void.self)
    let subscription = provider.rx.stream(LoopbackTarget(server, "/")).subscribe { event in
      if case .next = event { first.yield() } else { notes.add("\(event)") }
    }
    for await _ in firsts { break }
    subscription.dispose()
    try await server.log(until: { $0.abandoned.count == 1 })
    #expect(notes.all.isEmpty)
  }

  @Test("taking the first line cancels the transfer")
  func firstLine() async throws {
    let server = try LoopbackServer { _ in .text("one\ntwo\nthr").bodyHeld(until: .init(), after: 10) }
    #expect(try await all(provider.rx.lines(LoopbackTarget(server, "/")).take(1)).get() == ["one"])
    try await server.log(until: { $0.abandoned.count == 1 })
  }

  @Test(
    "an observer that blocks makes the server wait, and disposing on another thread still ends the transfer"
  )
  func blockedObserver() async throws {
    let server = try LoopbackServer { $0.path == "/" ? .repeating(7, count: 1 << 40) : .text("ok") }
    let gate = DispatchSemaphore(value: 0)
    let subscription = provider.rx.stream(LoopbackTarget(server, "/")).subscribe(onNext: { _ in gate.wait() })
    try await server.log(until: { $0.bytesSent > 0 })
    // Takes long enough for an unhindered server to send a lot; other requests are not delayed.
    for _ in 0..<300 { _ = try await provider.rx.request(LoopbackTarget(server, "/other")).result().get() }
    #expect(server.log.bytesSent < 64 << 20)
    subscription.dispose()
    try await server.log(until: { $0.abandoned.count == 1 })
    gate.signal()
  }

  @Test("lines may span chunks")
  func lines() async throws {
    let server = try LoopbackServer { _ in
      .text("grüße\r\n\r\nzwei\rdrei").trickled(chunk: 3, every: .milliseconds(5))
    }
    #expect(
      try await all(provider.rx.lines(LoopbackTarget(server, "/"))).get() == ["grüße", "", "zwei", "drei"])
  }

  @Test("a line that is too long is an error, after the lines before it")
  func longLine() async throws {
    let notes = Log()
    let chunks = Observable.of(Data("one\nto".utf8), Data("o long".utf8), Data("\n".utf8))
    chunks.lines(limit: 5).subscribe(
      onNext: { notes.add($0) },
      onError: { error in
        guard case .underlying(let reason, _)? = error as? NetworkError else { return }
        notes.add("\(reason)")
      }
    ).dispose()
    #expect(notes.all == ["one", "\(StreamError.lineTooLong(limit: 5))"])
  }

  @Test("lines and decodedLines of a request enforce the limit of a line")
  func limit() {
    let provider = ScriptedProvider(Array(repeating: [.chunk(Data("12345\n1234567".utf8))], count: 2))
    let notes = Log()
    func reason(_ error: any Error) -> String {
      guard case .underlying(let reason, _)? = error as? NetworkError else { return "\(error)" }
      return "\(reason)"
    }
    provider.rx.lines(.init(), limit: 5)
      .subscribe(onNext: { notes.add($0) }, onError: { notes.add(reason($0)) }).dispose()
    provider.rx.decodedLines(.init(), as: Int.self, limit: 5)
      .subscribe(onNext: { notes.add("\($0)") }, onError: { notes.add(reason($0)) }).dispose()
    let tooLong = "\(StreamError.lineTooLong(limit: 5))"
    #expect(notes.all == ["12345", tooLong, "12345", tooLong])
  }

  @Test("a line may have a mebibyte by default, and not one byte more")
  func usualLimit() {
    let text = String(repeating: "a", count: (1 << 20) - 2)
    let whole = Data("\"\(text)\"\n".utf8)
    let provider = ScriptedProvider(Array(repeating: [.chunk(whole), .finished(nil)], count: 2))
    let (lines, values) = (["\"\(text)\""], [text])
    #expect(elements(Observable.just(whole).lines()) == lines)
    #expect(elements(Observable.just(whole).decodeLines(as: String.self)) == values)
    #expect(elements(provider.rx.lines(.init())) == lines)
    #expect(elements(provider.rx.decodedLines(.init(), as: String.self)) == values)
    let tooLong = Data("\"\(text)a\"\n".utf8)
    let other = ScriptedProvider(Array(repeating: [.chunk(tooLong), .finished(nil)], count: 2))
    for failing in [
      Observable.just(tooLong).lines(), Observable.just(tooLong).decodeLines(as: String.self),
      other.rx.lines(.init()), other.rx.decodedLines(.init(), as: String.self),
    ] {
      #expect(elements(failing) == nil)
    }
  }

  /// Returns the elements of a sequence that completes.
  private func elements(_ source: Observable<String>) -> [String]? {
    try? source.toBlocking().toArray()
  }

  @Test("the caller chooses the line ending, the decoder and the limit")
  func choices() {
    let notes = Log()
    Observable.just(Data("a\rb\r\nc\n".utf8)).lines(ending: .lineFeed)
      .subscribe(onNext: { notes.add($0) }).dispose()
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let provider = ScriptedProvider([[.chunk(Data("5\n".utf8))]])
    provider.rx.decodedLines(.init(), as: Date.self, decoder: decoder)
      .subscribe(onNext: { notes.add("\($0.timeIntervalSince1970)") }).dispose()
    Observable.just(Data("6\n1234\n".utf8)).decodeLines(as: Date.self, decoder: decoder, limit: 3)
      .subscribe(
        onNext: { notes.add("\($0.timeIntervalSince1970)") }, onError: { notes.add("\($0)") }
      ).dispose()
    let tooLong = NetworkError.underlying(StreamError.lineTooLong(limit: 3), nil)
    #expect(notes.all == ["a\rb", "c", "5.0", "6.0", "\(tooLong)"])
  }

  struct Row: Codable, Equatable {
    let id: Int
  }

  @Test("each line of newline-delimited JSON is decoded, and empty lines are skipped")
  func decodedLines() async throws {
    let server = try LoopbackServer { _ in
      .text("{\"id\":1}\n\n {\"id\":\r2}\r\n{\"id\":3}").trickled(chunk: 4, every: .milliseconds(5))
    }
    let rows = try await all(provider.rx.decodedLines(LoopbackTarget(server, "/"), as: Row.self)).get()
    #expect(rows == [Row(id: 1), Row(id: 2), Row(id: 3)])
  }

  @Test("the error names a line that cannot be decoded")
  func undecodable() async throws {
    let server = try LoopbackServer { _ in .text("{\"id\":1}\n\n{\"id\":x}\n") }
    let error = await all(provider.rx.decodedLines(LoopbackTarget(server, "/"), as: Row.self)).networkError
    guard case .underlying(let reason, _)? = error,
      case .undecodableLine(let number, let text, _)? = reason as? StreamError
    else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(number == 3)
    #expect(text == "{\"id\":x}")
  }

  @Test("values before a line that cannot be decoded are delivered, even if lines span chunks")
  func before() {
    let notes = Log()
    Observable.just(Data("1\n2\nx\n3\n".utf8)).decodeLines(as: Int.self)
      .subscribe(onNext: { notes.add("\($0)") }, onError: { _ in notes.add("error") }).dispose()
    #expect(notes.all == ["1", "2", "error"])
  }

  @Test("an error of the source is forwarded")
  func sourceError() async throws {
    let server = try LoopbackServer { _ in .text("one\ntwo").chunked(size: 7).truncated(after: 5) }
    let notes = Log()
    let error = await all(provider.rx.lines(LoopbackTarget(server, "/")).do(onNext: { notes.add($0) }))
      .networkError
    #expect(error?.transferError != nil)
    #expect(notes.all == ["one"])
  }
}

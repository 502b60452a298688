import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Parsed streams", .timeLimit(.minutes(5)))
struct StreamParsingTests {
  private let provider = NetworkProvider<LoopbackTarget>()

  private func all<Element>(
    _ sequence: some AsyncSequence<Element, NetworkError>
  ) async throws(NetworkError) -> [Element] {
    var all: [Element] = []
    for try await element in sequence { all.append(element) }
    return all
  }

  @Test("lines, values and events are read as they arrive")
  func parsing() async throws {
    let server = try LoopbackServer { request in
      let text =
        switch request.path {
        case "/lines": "one\r\ntwo"
        case "/json": "1\n\n2\n"
        default: "id: 7\ndata: a\n\ndata: b\n\ndata: cut off"
        }
      return .text(text).trickled(chunk: 2, every: .milliseconds(2))
    }
    #expect(try await all(provider.stream(LoopbackTarget(server, "/lines")).lines()) == ["one", "two"])
    #expect(
      try await all(provider.stream(LoopbackTarget(server, "/json")).decodedLines(as: Int.self)) == [1, 2])
    #expect(
      try await all(provider.stream(LoopbackTarget(server, "/events")).events()) == [
        .init(data: "a", id: "7"), .init(data: "b", id: "7"),
      ])
  }

  @Test(
    "an element arrives before the rest of the body, and leaving the loop cancels the transfer")
  func early() async throws {
    let server = try LoopbackServer { _ in .text("one\ntwo").bodyHeld(until: .init(), after: 6) }
    for try await line in provider.stream(LoopbackTarget(server)).lines() {
      #expect(line == "one")
      break
    }
    try await server.log(until: { $0.abandoned.count == 1 })
  }

  @Test("a cancelled task gets no more elements of a chunk, and the transfer is cancelled at once")
  func cancelledTask() async {
    let transport = ScriptedTransport()
    let stream = NetworkProvider<GitHub>(transport: transport).stream(.zen)
    let transfer = transport.transfers[0]
    transfer.send(
      .head(ResponseHead(statusCode: 200, url: transfer.request.url, headers: [:])),
      .body(Data("one\ntwo\nthree\n".utf8)))
    let task = _Concurrency.Task {
      var lines = stream.lines().makeAsyncIterator()
      let first = try? await lines.next()
      withUnsafeCurrentTask { $0?.cancel() }
      var ends: [Bool?] = []
      for _ in 0..<2 {
        do { ends.append(try await lines.next() == nil ? nil : false) } catch { ends.append(true) }
      }
      return (first, ends, transfer.cancelCount)
    }
    let (first, ends, cancelCount) = await task.value
    #expect(first == "one")
    #expect(ends == [true, nil])
    #expect(cancelCount == 1)
    transfer.send(.finished(.cancelled))
  }

  @Test("a cancelled task gets the cancellation, and not the error of a line that it has not reached")
  func cancelledBeforeFailure() async {
    let transport = ScriptedTransport()
    let stream = NetworkProvider<GitHub>(transport: transport).stream(.zen)
    let transfer = transport.transfers[0]
    transfer.send(
      .head(ResponseHead(statusCode: 200, url: transfer.request.url, headers: [:])),
      .body(Data("one\ntoo long\n".utf8)))
    let task = _Concurrency.Task {
      var lines = stream.lines(limit: 5).makeAsyncIterator()
      let first = try? await lines.next()
      withUnsafeCurrentTask { $0?.cancel() }
      var isCancelled = false
      do { _ = try await lines.next() } catch { isCancelled = (error as? NetworkError)?.isCancelled == true }
      return (first, isCancelled, transfer.cancelCount)
    }
    let (first, isCancelled, cancelCount) = await task.value
    #expect(first == "one")
    #expect(isCancelled)
    #expect(cancelCount == 1)
    transfer.send(.finished(.cancelled))
  }

  @Test("an unreadable line ends the sequence with an error that names it, after the lines before it")
  func failure() async throws {
    let server = try LoopbackServer { _ in .text("one\ntoo long\n") }
    var lines = provider.stream(LoopbackTarget(server)).lines(limit: 5).makeAsyncIterator()
    var read: [String] = []
    do {
      while let line = try await lines.next() { read.append(line) }
      Issue.record("no error")
    } catch {
      guard case .underlying(let reason, _) = error as? NetworkError else {
        Issue.record("\(error)")
        return
      }
      #expect(reason as? StreamError == .lineTooLong(limit: 5))
    }
    #expect(read == ["one"])
    #expect(try await lines.next() == nil)
  }

  @Test("the given ending, limit and decoder are used")
  func settings() async throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/lines": .text("a\rb\n")
      case "/date": .text("7\n")
      case "/rest": .text("12345678901")
      case "/return": .text("1234567890\r")
      default: .text("data: 12345\n\n")
      }
    }
    func stream(_ path: String) -> ResponseStream { provider.stream(LoopbackTarget(server, path)) }
    #expect(try await all(stream("/lines").lines(ending: .lineFeed)) == ["a\rb"])
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    #expect(
      try await all(stream("/date").decodedLines(as: Date.self, decoder: decoder)) == [
        Date(timeIntervalSince1970: 7)
      ])
    #expect(try await all(stream("/events").events(limit: 11)) == [.init(data: "12345")])
    func expectTooLong<Element>(_ sequence: some AsyncSequence<Element, NetworkError>) async {
      do throws(NetworkError) {
        _ = try await all(sequence)
        Issue.record("no error")
      } catch {
        #expect(error.underlyingStreamError == .lineTooLong(limit: 10))
      }
    }
    await expectTooLong(stream("/events").events(limit: 10))
    await expectTooLong(stream("/events").decodedLines(as: Int.self, limit: 10))
    await expectTooLong(stream("/rest").lines(limit: 10))
    // No LF follows, so that the CR is part of the line.
    await expectTooLong(stream("/return").lines(ending: .lineFeed, limit: 10))
    await expectTooLong(stream("/return").decodedLines(as: Int.self, limit: 10))
  }

  @Test("by default, a line may have a mebibyte and not one byte more, and each line ending counts")
  func defaults() async throws {
    func stream(_ text: String) -> ResponseStream {
      NetworkProvider<LoopbackTarget>(transport: ScriptedTransport { $0.respond(200, text) })
        .stream(LoopbackTarget(URL(staticString: "http://h")))
    }
    func failure<Element>(of sequence: some AsyncSequence<Element, NetworkError>) async -> StreamError? {
      do throws(NetworkError) {
        _ = try await all(sequence)
        return nil
      } catch {
        return error.underlyingStreamError
      }
    }
    let text = String(repeating: "a", count: (1 << 20) - 5)
    let longest = "\"aaa\(text)\"\n"
    #expect(try await all(stream(longest).lines()).map(\.utf8.count) == [1 << 20])
    #expect(try await all(stream(longest).decodedLines(as: String.self)).map(\.utf8.count) == [(1 << 20) - 2])
    #expect(try await all(stream("data:\(text)\n\n").events()).map(\.data.utf8.count) == [(1 << 20) - 5])
    let tooLong = "\"aaaa\(text)\"\n"
    #expect(await failure(of: stream(tooLong).lines()) == .lineTooLong(limit: 1 << 20))
    #expect(
      await failure(of: stream(tooLong).decodedLines(as: String.self)) == .lineTooLong(limit: 1 << 20))
    #expect(await failure(of: stream("data:a\(text)\n\n").events()) == .lineTooLong(limit: 1 << 20))
    #expect(try await all(stream("a\rb\n").lines()) == ["a", "b"])
  }

  @Test("a line that consists of blanks has no value")
  func blankLines() async throws {
    let server = try LoopbackServer { _ in .text("1\n \t\n\r\r\n2\n\r") }
    #expect(try await all(provider.stream(LoopbackTarget(server)).decodedLines(as: Int.self)) == [1, 2])
  }

  @Test("nothing follows the error of an undecodable line, even if the next chunk can be decoded")
  func afterFailure() async throws {
    let transport = ScriptedTransport {
      $0.send(
        .head(ResponseHead(statusCode: 200, url: "http://h", headers: [:])), .body(Data("x\n".utf8)),
        .body(Data("2\n".utf8)), .finished(nil))
    }
    let stream = NetworkProvider<LoopbackTarget>(transport: transport)
      .stream(LoopbackTarget(URL(staticString: "http://h")))
    var values = stream.decodedLines(as: Int.self).makeAsyncIterator()
    var hasFailed = false
    do { _ = try await values.next() } catch { hasFailed = true }
    #expect(hasFailed)
    #expect(try await values.next() == nil)
  }

  @Test("the error of a long undecodable line has its first 200 bytes")
  func longUndecodable() async throws {
    let server = try LoopbackServer { _ in .text(String(repeating: "x", count: 300)) }
    do throws(NetworkError) {
      _ = try await all(provider.stream(LoopbackTarget(server)).decodedLines(as: Int.self))
      Issue.record("no error")
    } catch {
      guard case .undecodableLine(1, let text, _)? = error.underlyingStreamError else {
        Issue.record("\(error)")
        return
      }
      #expect(text == String(repeating: "x", count: 200))
    }
  }

  @Test("the error of an undecodable line has its number, even for a last line without an ending")
  func undecodable() async throws {
    let server = try LoopbackServer { _ in .text("1\n\n2\nx") }
    var values = provider.stream(LoopbackTarget(server)).decodedLines(as: Int.self).makeAsyncIterator()
    var read: [Int] = []
    do {
      while let value = try await values.next() { read.append(value) }
      Issue.record("no error")
    } catch {
      guard case .underlying(let reason, _) = error as? NetworkError,
        case .undecodableLine(4, "x", _)? = reason as? StreamError
      else {
        Issue.record("\(error)")
        return
      }
    }
    #expect(read == [1, 2])
  }
}

extension NetworkError {
  fileprivate var underlyingStreamError: StreamError? {
    if case .underlying(let error as StreamError, _) = self { error } else { nil }
  }
}

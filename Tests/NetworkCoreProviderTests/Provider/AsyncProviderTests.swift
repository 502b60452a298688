import Dispatch
import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Awaited requests", .timeLimit(.minutes(5)))
struct AsyncProviderTests {
  private struct Song: Codable, Equatable {
    var title: String
  }

  /// Records the decoded values.
  private struct DecodedResultRecorder: DecodedResultPlugin {
    let log: Log
    func didDecode<Value, Failure: Error>(_ result: Result<Value, Failure>, target: any TargetType) {
      switch result {
      case .success(let value): log("\(value)")
      case .failure(let error): log("\(type(of: error))")
      }
    }
  }

  private let transport = ScriptedTransport()
  private let log = Log()

  @Test("the response is returned, and errors are thrown unchanged", arguments: TransportKind.allCases)
  func response(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("no", status: 404) }
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    #expect(try await provider.response(for: LoopbackTarget(server)).statusCode == 404)
    let strict = LoopbackTarget(server).with { $0.validationType = .successCodes }
    do {
      _ = try await provider.response(for: strict)
      Issue.record("a 404 passed")
    } catch {
      #expect(error.response?.statusCode == 404)
    }
  }

  @Test("a task that is already cancelled sends nothing")
  func cancelledTask() async {
    let provider = NetworkProvider<GitHub>(transport: transport)
    let log = log
    @Sendable func summary<Value>(_ work: () async throws -> Value) async -> String {
      do {
        _ = try await work()
        return "sent"
      } catch {
        return (error as? NetworkError)?.isCancelled == true ? "cancelled" : "\(error)"
      }
    }
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      log(await summary { try await provider.response(for: .zen) })
      log(await summary { try await provider.observed { _ in }.response(for: .zen) })
      log(await summary { try await provider.value(for: .zen, as: Song.self) })
      log(await summary { try await provider.stream(.zen).response })
      log(await summary { for try await _ in provider.observed(by: { _ in }).stream(.zen) {} })
    }.value
    #expect(log.all == Array(repeating: "cancelled", count: 5))
    #expect(transport.transfers.isEmpty)
  }

  @Test("a value is decoded, and each DecodedResultPlugin sees it")
  func value() async throws {
    let transport = ScriptedTransport { $0.respond(200, #"{"title": "Ceremony"}"#) }
    let provider = NetworkProvider<GitHub>(transport: transport, plugins: [DecodedResultRecorder(log: log)])
    #expect(try await provider.value(for: .zen, as: Song.self) == Song(title: "Ceremony"))
    #expect(log.all.count == 1 && log.all[0].contains("Ceremony"))
  }

  @Test("a value is decoded with the given decoder")
  func ownDecoder() async throws {
    struct Track: Decodable {
      let songTitle: String
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let transport = ScriptedTransport { $0.respond(200, #"{"song_title": "Ceremony"}"#) }
    let provider = NetworkProvider<GitHub>(transport: transport)
    #expect(try await provider.value(for: .zen, as: Track.self, using: decoder).songTitle == "Ceremony")
  }

  @Test("plugins that see decoded values get the target inside a MultiTarget")
  func innerTarget() async throws {
    struct TargetLogger: DecodedResultPlugin {
      let log: Log
      func didDecode<Value, Failure: Error>(_ result: Result<Value, Failure>, target: any TargetType) {
        log("\(type(of: target))")
      }
    }
    let transport = ScriptedTransport { $0.respond(200, "[1]") }
    let provider = NetworkProvider<MultiTarget>(transport: transport, plugins: [TargetLogger(log: log)])
    for target in [MultiTarget(GitHub.zen), .target(MultiTarget(GitHub.zen))] {
      #expect(try await provider.value(for: target, as: [Int].self) == [1])
    }
    #expect(log.all == ["GitHub", "GitHub"])
  }

  @Test("a body that cannot be decoded, or a status without success, is a typed error, and plugins see it")
  func noValue() async throws {
    let transport = ScriptedTransport { transfer in
      transfer.respond(transfer.request.url.hasSuffix("zen") ? 200 : 404, "[]")
    }
    let provider = NetworkProvider<GitHub>(transport: transport, plugins: [DecodedResultRecorder(log: log)])
    do {
      _ = try await provider.value(for: .zen, as: Song.self)
      Issue.record("no error")
    } catch .objectMapping {
    } catch {
      Issue.record("\(error)")
    }
    do {
      _ = try await provider.value(for: .profile("x"), as: Song.self)
      Issue.record("no error")
    } catch .statusCode(let response) {
      #expect(response.statusCode == 404)
    } catch {
      Issue.record("\(error)")
    }
    #expect(log.all == ["NetworkError", "NetworkError"])
  }

  @Test("cancelling the task cancels the transfer", arguments: TransportKind.allCases)
  func cancel(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .never }
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let task = Task { () -> Bool in
      do {
        _ = try await provider.response(for: LoopbackTarget(server))
        return false
      } catch {
        return (error as? NetworkError)?.isCancelled == true
      }
    }
    try await server.log { $0.requestCount == 1 }
    task.cancel()
    #expect(await task.value)
    try await server.log { $0.abandoned.count == 1 }
  }

  @Test("a task that is cancelled before its request either sends nothing or cancels the transfer")
  func cancelledBefore() async {
    let provider = NetworkProvider<GitHub>(transport: transport)
    let task = Task { () -> String in
      while !Task.isCancelled { await Task.yield() }
      do {
        return "\(try await provider.response(for: .zen).statusCode)"
      } catch {
        return (error as? NetworkError)?.isCancelled == true ? "cancelled" : "\(error)"
      }
    }
    task.cancel()
    #expect(await task.value == "cancelled")
    #expect(transport.transfers.allSatisfy { $0.isCancelled })
  }
}

import Dispatch
import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("A request as a single", .timeLimit(.minutes(5)))
struct RequestTests {
  @Test("nothing is sent before a subscription, and each subscription sends the request")
  func cold() async throws {
    let server = try LoopbackServer { _ in .text("hello") }
    let notes = Log()
    let provider = NetworkProvider<LoopbackTarget>(plugins: [LoggingPlugin(notes: notes)])
    let request = provider.rx.request(LoopbackTarget(server, "/cold"))
    #expect(notes.all.isEmpty)
    for _ in 0..<2 { #expect(try await request.result().get().mapString() == "hello") }
    #expect(server.log.requestCount == 2)
    #expect(notes.all == ["willSend", "didReceive 200", "willSend", "didReceive 200"])
  }

  @Test("a 404 is a response")
  func notFound() async throws {
    let server = try LoopbackServer()
    let response = try await NetworkProvider<LoopbackTarget>().rx.request(LoopbackTarget(server, "/"))
      .result().get()
    #expect(response.statusCode == 404)
  }

  @Test("a failure is the provider's error")
  func failure() async throws {
    let server = try LoopbackServer { _ in .close }
    let result = await NetworkProvider<LoopbackTarget>().rx.request(LoopbackTarget(server, "/")).result()
    guard case .connectionLost? = result.networkError?.transferError else {
      Issue.record("\(result)")
      return
    }
  }

  @Test("the single retains a provider without other references")
  func released() async throws {
    let server = try LoopbackServer { _ in .text("kept") }
    weak var released: NetworkProvider<LoopbackTarget>?
    var request: Single<Response>? = {
      let provider = NetworkProvider<LoopbackTarget>()
      released = provider
      return provider.rx.request(LoopbackTarget(server, "/"))
    }()
    #expect(released != nil)
    #expect(try await request?.result().get().mapString() == "kept")
    request = nil
    // The transport's thread releases its objects right after the delivery; another exchange makes sure that
    // it has.
    _ = await NetworkProvider<LoopbackTarget>().rx.request(LoopbackTarget(server, "/")).result()
    #expect(released == nil)
  }

  @Test("a running request retains the provider, and releases it at the end")
  func running() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { $0.path == "/held" ? .text("late").held(until: gate) : .text("next") }
    let (events, continuation) = AsyncStream.makeStream(of: SingleEvent<Response>.self)
    weak var released: NetworkProvider<LoopbackTarget>?
    let subscription = {
      let provider = NetworkProvider<LoopbackTarget>()
      released = provider
      return provider.rx.request(LoopbackTarget(server, "/held")).subscribe { continuation.yield($0) }
    }()
    try await server.log(until: { $0.pending == 1 })
    #expect(released != nil)
    gate.open()
    for await event in events {
      #expect(try event.get().mapString() == "late")
      break
    }
    _ = await NetworkProvider<LoopbackTarget>().rx.request(LoopbackTarget(server, "/")).result()
    #expect(released == nil)
    subscription.dispose()
  }

  @Test("the response is delivered on the callback queue")
  func callbackQueue() async throws {
    let server = try LoopbackServer { _ in .text("queued") }
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "callbacks")
    queue.setSpecific(key: key, value: "callbacks")
    let onQueue = NetworkProvider<LoopbackTarget>().rx.request(
      LoopbackTarget(server, "/"), callbackQueue: queue
    )
    .map { _ in DispatchQueue.getSpecific(key: key) }
    #expect(try await onQueue.result().get() == "callbacks")
    let elsewhere = NetworkProvider<LoopbackTarget>().rx.request(LoopbackTarget(server, "/"))
      .map { _ in DispatchQueue.getSpecific(key: key) }
    #expect(try await elsewhere.result().get() == nil)
  }

  @Test("an immediate stub is delivered before subscribe returns")
  func stub() throws {
    let server = try LoopbackServer()
    let provider = NetworkProvider<LoopbackTarget>(stubClosure: NetworkProvider.immediatelyStub)
    var statuses: [Int] = []
    _ = provider.rx.request(LoopbackTarget(server, "/")).subscribe(onSuccess: {
      statuses.append($0.statusCode)
    })
    #expect(statuses == [200])
    #expect(server.log.requestCount == 0)
  }

  @Test("rx.request works with a subclass of the provider and with a custom provider")
  func ownProviders() async throws {
    final class ProviderSubclass: NetworkProvider<LoopbackTarget>, @unchecked Sendable {}
    final class ProviderWrapper: NetworkProviderType, ReactiveCompatible {
      let provider = NetworkProvider<LoopbackTarget>()

      func request(
        _ target: LoopbackTarget, callbackQueue: DispatchQueue?, progress: ProgressBlock?,
        completion: @escaping Completion
      ) -> any Cancellable {
        provider.request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
      }
    }
    let server = try LoopbackServer { _ in .status(204) }
    #expect(
      try await ProviderSubclass().rx.request(LoopbackTarget(server, "/")).result().get().statusCode == 204)
    #expect(
      try await ProviderWrapper().rx.request(LoopbackTarget(server, "/")).result().get().statusCode == 204)
  }
}

import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Cancelling a request", .timeLimit(.minutes(5)))
struct CancelTests {
  private let transport = ScriptedTransport()
  private let outcome = CompletionRecorder()
  private let log = Log()

  private func provider(
    _ plugins: [any PluginType] = [], transport: ScriptedTransport? = nil
  ) -> NetworkProvider<GitHub> {
    NetworkProvider(transport: transport ?? self.transport, plugins: plugins)
  }

  @Test("completes before cancel returns, and then cancels the transfer")
  func running() throws {
    let token = provider([LoggingPlugin(name: "A", log: log)]).request(.zen, completion: outcome.completion)
    let transfer = try #require(transport.transfers.first)
    #expect(!token.isCancelled)
    token.cancel()
    #expect(token.isCancelled)
    #expect(outcome.summaries == ["cancelled"])
    #expect(outcome.error?.response == nil)
    #expect(transfer.cancelCount == 1)
    #expect(log.all.filter { $0.hasPrefix("A did") } == ["A didReceive cancelled"])
  }

  @Test("cancels the transfer once, and ignores a second end")
  func once() throws {
    let token = provider().request(.zen, completion: outcome.completion)
    token.cancel()
    token.cancel()
    let transfer = try #require(transport.transfers.first)
    transfer.send(.finished(.cancelled))
    #expect(outcome.count == 1)
    #expect(transfer.cancelCount == 1)
  }

  @Test("after the end changes only isCancelled")
  func afterTheEnd() throws {
    let token = provider().request(.zen, completion: outcome.completion)
    let transfer = try #require(transport.transfers.first)
    transfer.respond()
    token.cancel()
    #expect(token.isCancelled)
    #expect(outcome.summaries == ["200"])
    #expect(transfer.cancelCount == 0)
  }

  @Test("by the transport gives the same error, and drops the partial response")
  func byTransport() throws {
    provider().request(.zen, completion: outcome.completion)
    transport.transfers.first?.send(
      .head(ResponseHead(statusCode: 200, url: "http://h", headers: [:])), .finished(.cancelled))
    #expect(outcome.error?.isCancelled == true)
    #expect(outcome.error?.response == nil)
  }

  @Test("before the requestClosure has made the request ends at once, without willSend and didReceive")
  func whileBuilding() throws {
    let pending = Lock<NetworkProvider<GitHub>.RequestResultClosure?>(nil)
    let provider = NetworkProvider<GitHub>(
      requestClosure: { _, done in pending.withLock { $0 = done } }, transport: transport,
      plugins: [LoggingPlugin(name: "A", log: log)])
    let token = provider.request(.zen, completion: outcome.completion)
    token.cancel()
    #expect(outcome.summaries == ["cancelled"])
    let done = try #require(pending.withLock { $0 })
    done(.success(URLRequest(url: URL(staticString: "http://h"))))
    #expect(outcome.count == 1)
    #expect(log.all == ["A process cancelled"])
    #expect(transport.transfers.isEmpty)
  }

  @Test("in a plugin's prepare ends at once, and nothing is sent")
  func whilePreparing() {
    let token = Lock<(any Cancellable)?>(nil)
    let pending = Lock<NetworkProvider<GitHub>.RequestResultClosure?>(nil)
    let plugin = LoggingPlugin(name: "A", log: log, onPrepare: { token.withLock { $0 }?.cancel() })
    let provider = NetworkProvider<GitHub>(
      requestClosure: { _, done in pending.withLock { $0 = done } }, transport: transport, plugins: [plugin])
    let started = provider.request(.zen, completion: outcome.completion)
    token.withLock { $0 = started }
    pending.withLock { $0 }?(.success(URLRequest(url: URL(staticString: "http://h"))))
    #expect(outcome.summaries == ["cancelled"])
    #expect(log.all == ["A prepare", "A process cancelled"])
    #expect(transport.transfers.isEmpty)
  }

  @Test("in a plugin's willSend ends after every plugin's willSend, and nothing is sent")
  func whileAnnouncing() {
    let token = Lock<(any Cancellable)?>(nil)
    let pending = Lock<NetworkProvider<GitHub>.RequestResultClosure?>(nil)
    let plugins = [
      LoggingPlugin(name: "A", log: log, onWillSend: { token.withLock { $0 }?.cancel() }),
      LoggingPlugin(name: "B", log: log),
    ]
    let provider = NetworkProvider<GitHub>(
      requestClosure: { _, done in pending.withLock { $0 = done } }, transport: transport, plugins: plugins)
    let started = provider.request(.zen, completion: outcome.completion)
    token.withLock { $0 = started }
    pending.withLock { $0 }?(.success(URLRequest(url: URL(staticString: "http://h"))))
    #expect(outcome.summaries == ["cancelled"])
    #expect(
      log.all == [
        "A prepare", "B prepare", "A willSend AB", "B willSend AB", "A didReceive cancelled",
        "B didReceive cancelled", "A process cancelled", "B process cancelled",
      ])
    #expect(transport.transfers.isEmpty)
  }

  @Test("while the transport starts cancels the transfer as soon as it exists")
  func whileStarting() {
    let token = Lock<(any Cancellable)?>(nil)
    let pending = Lock<NetworkProvider<GitHub>.RequestResultClosure?>(nil)
    let transport = ScriptedTransport { _ in token.withLock { $0 }?.cancel() }
    let provider = NetworkProvider<GitHub>(
      requestClosure: { _, done in pending.withLock { $0 = done } }, transport: transport)
    let started = provider.request(.zen, completion: outcome.completion)
    token.withLock { $0 = started }
    pending.withLock { $0 }?(.success(URLRequest(url: URL(staticString: "http://h"))))
    #expect(outcome.summaries == ["cancelled"])
    #expect(transport.transfers.map(\.cancelCount) == [1])
  }

  @Test("while a shared transfer starts cancels that as soon as it exists")
  func whileSharedTransferStarts() {
    let token = Lock<(any Cancellable)?>(nil)
    let pending = Lock<NetworkProvider<GitHub>.RequestResultClosure?>(nil)
    let transport = ScriptedTransport { _ in token.withLock { $0 }?.cancel() }
    let provider = NetworkProvider<GitHub>(
      requestClosure: { _, done in pending.withLock { $0 = done } }, transport: transport,
      trackInflights: true)
    let started = provider.request(.zen, completion: outcome.completion)
    token.withLock { $0 = started }
    pending.withLock { $0 }?(.success(URLRequest(url: URL(staticString: "http://h"))))
    #expect(outcome.summaries == ["cancelled"])
    #expect(transport.transfers.map(\.cancelCount) == [1])
    #expect(provider.inflightRequests.isEmpty)
  }

  @Test("in the progress block ends right after the block")
  func inProgress() throws {
    let token = Lock<(any Cancellable)?>(nil)
    let log = log
    let started = provider().request(
      .zen,
      progress: { progress in
        log("progress \(progress.progress)")
        token.withLock { $0 }?.cancel()
        log("progress over")
      },
      completion: { log("end \($0.summary)") })
    token.withLock { $0 = started }
    let transfer = try #require(transport.transfers.first)
    transfer.respond(headers: ["Content-Length": "4"], "gone")
    #expect(log.all == ["progress 1.0", "progress over", "end cancelled"])
    #expect(transfer.cancelCount == 1)
  }

  @Test("in the last progress block, or while a plugin processes the response, does not replace the response")
  func inLastProgress() {
    struct CancellingPlugin: PluginType {
      let cancel: @Sendable () -> Void
      func process(
        _ result: Result<Response, NetworkError>, target: any TargetType
      ) -> Result<Response, NetworkError> {
        cancel()
        return result
      }
    }
    let token = Lock<(any Cancellable)?>(nil)
    let cancel: @Sendable () -> Void = { token.withLock { $0 }?.cancel() }
    for plugins in [[], [CancellingPlugin(cancel: cancel)]] as [[any PluginType]] {
      let started = provider(plugins).request(
        .zen, progress: { if $0.response != nil { cancel() } }, completion: outcome.completion)
      token.withLock { $0 = started }
      transport.transfers.last?.respond()
      #expect(started.isCancelled)
    }
    #expect(outcome.summaries == ["200", "200"])
  }

  @Test("in the completion changes nothing")
  func inCompletion() throws {
    let token = Lock<(any Cancellable)?>(nil)
    let log = log
    let started = provider().request(.zen) { result in
      token.withLock { $0 }?.cancel()
      log(result.summary)
    }
    token.withLock { $0 = started }
    transport.transfers.first?.respond()
    #expect(log.all == ["200"])
  }

  @Test("replaces a response that waits on the callback queue")
  func beforeDelivery() async {
    let queue = DispatchQueue(label: "callbacks")
    let provider = NetworkProvider<GitHub>(
      callbackQueue: queue, transport: transport, plugins: [LoggingPlugin(name: "A", log: log)])
    let token = provider.request(.zen, completion: outcome.completion)
    queue.suspend()
    transport.transfers.first?.respond()
    token.cancel()
    queue.resume()
    await queue.waitUntilDrained()
    #expect(outcome.summaries == ["cancelled"])
    #expect(log.all.suffix(2) == ["A didReceive cancelled", "A process cancelled"])
  }

  @Test("drops the progress that waits on the callback queue")
  func progressOnQueue() async {
    let queue = DispatchQueue(label: "callbacks")
    let log = log
    let token = provider().request(
      .zen, callbackQueue: queue, progress: { _ in log("progress") }, completion: { log($0.summary) })
    queue.suspend()
    transport.transfers.first?.send(
      .head(ResponseHead(statusCode: 200, url: "http://h", headers: ["Content-Length": "4"])),
      .body(Data("go".utf8)))
    token.cancel()
    queue.resume()
    await queue.waitUntilDrained()
    #expect(log.all == ["cancelled"])
  }

  @Test("replaces a failed attempt that waits on the callback queue, which is not retried")
  func failedAttemptOnQueue() async {
    let queue = DispatchQueue(label: "callbacks")
    let provider = NetworkProvider<GitHub>(
      callbackQueue: queue, transport: transport, plugins: [LoggingPlugin(name: "A", log: log)],
      interceptors: [ScriptedInterceptor("I", log, [.retry])])
    let token = provider.request(.zen, completion: outcome.completion)
    queue.suspend()
    transport.transfers.first?.respond(503)
    token.cancel()
    queue.resume()
    await queue.waitUntilDrained()
    #expect(outcome.summaries == ["cancelled"])
    #expect(log.all.suffix(2) == ["A didReceive cancelled", "A process cancelled"])
    #expect(transport.transfers.count == 1)
  }

  @Test("waiting on the callback queue is not overtaken by a response")
  func answerAfterCancel() async {
    let queue = DispatchQueue(label: "callbacks")
    let token = provider().request(.zen, callbackQueue: queue, completion: outcome.completion)
    queue.suspend()
    token.cancel()
    transport.transfers.first?.respond()
    queue.resume()
    await queue.waitUntilDrained()
    #expect(outcome.summaries == ["cancelled"])
  }

  @Test("in prepare also prevents willSend while the end waits on the callback queue")
  func whilePreparingOnQueue() async {
    let queue = DispatchQueue(label: "callbacks")
    let token = Lock<(any Cancellable)?>(nil)
    let pending = Lock<NetworkProvider<GitHub>.RequestResultClosure?>(nil)
    let plugin = LoggingPlugin(name: "A", log: log, onPrepare: { token.withLock { $0 }?.cancel() })
    let provider = NetworkProvider<GitHub>(
      requestClosure: { _, done in pending.withLock { $0 = done } }, callbackQueue: queue,
      transport: transport,
      plugins: [plugin])
    let started = provider.request(.zen, completion: outcome.completion)
    token.withLock { $0 = started }
    queue.suspend()
    pending.withLock { $0 }?(.success(URLRequest(url: URL(staticString: "http://h"))))
    queue.resume()
    await queue.waitUntilDrained()
    #expect(log.all == ["A prepare", "A process cancelled"])
  }

  @Test("completes on the callback queue if there is one")
  func onQueue() async {
    let queue = DispatchQueue(label: "callbacks")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let log = log
    let token = provider().request(.zen, callbackQueue: queue) { result in
      log("\(result.summary) \(DispatchQueue.getSpecific(key: key) ?? false)")
    }
    token.cancel()
    await queue.waitUntilDrained()
    #expect(log.all == ["cancelled true"])
  }
}

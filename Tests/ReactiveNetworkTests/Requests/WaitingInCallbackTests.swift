import Dispatch
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("Waits within callbacks", .timeLimit(.minutes(5)))
struct WaitingInCallbackTests {
  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer { .text($0.path) }
  }

  @Test("toBlocking returns its element, several levels deep, for many requests at once")
  func nested() async throws {
    let gate = LoopbackServer.Gate()
    server.route("/held") { _ in .text("held").held(until: gate) }
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport())
    let server = server
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 {
        group.addTask {
          try await provider.rx.request(LoopbackTarget(server, "/held")).map { _ in
            try provider.rx.request(LoopbackTarget(server, "/second")).map { _ in
              try provider.rx.request(LoopbackTarget(server, "/third")).mapString().toBlocking().single()
            }
            .toBlocking().single()
          }
          .result().get()
        }
      }
      try await server.log(until: { $0.pending == 50 })
      gate.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(texts == Array(repeating: "/third", count: 50))
    #expect(server.log.requestCount == 150)
  }

  @Test("on the thread that carries the requests, toBlocking fails with an error that says so")
  func refused() async throws {
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport())
    let server = server
    let result = await provider.rx.request(LoopbackTarget(server, "/"), callbackQueue: .transport)
      .map { _ in
        try provider.rx.request(LoopbackTarget(server, "/second"), callbackQueue: .transport).toBlocking()
          .single()
      }
      .result()
    guard case .underlying(WaitingError.wouldDeadlock, nil)? = result.networkError else {
      Issue.record("\(result)")
      return
    }
    // A sequence that ends at once needs no wait.
    let known = await provider.rx.request(LoopbackTarget(server, "/"), callbackQueue: .transport)
      .map { _ in try Observable.just(7).toBlocking().single() }.result()
    #expect(try known.get() == 7)
  }

  @Test("a map that blocks delays no other request, and disposing that request leaves nothing pending")
  func blocked() async throws {
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport())
    let (gate, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let notes = Log()
    let subscription = await withCheckedContinuation { (done: CheckedContinuation<any Disposable, Never>) in
      let subscription = SerialDisposable()
      subscription.disposable = provider.rx.request(LoopbackTarget(server, "/blocked"))
        .map { response in
          done.resume(returning: subscription)
          gate.wait()
          over.signal()
          return response
        }
        .subscribe(onSuccess: { _ in notes.add("element") }, onFailure: { _ in notes.add("error") })
    }
    #expect(
      try await provider.rx.request(LoopbackTarget(server, "/other")).mapString().result().get() == "/other")
    subscription.dispose()
    gate.signal()
    await withCheckedContinuation { done in
      DispatchQueue(label: "over").async {
        over.wait()
        done.resume()
      }
    }
    #expect(
      try await provider.rx.request(LoopbackTarget(server, "/last")).mapString().result().get() == "/last")
    #expect(notes.all.isEmpty)
  }

  @Test("the ten thousandth wait needs no more of the stack than the first")
  func stack() async {
    await #expect(processExitsWith: .success) {
      let server = try LoopbackServer { .text($0.path) }
      let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport())
      _ = try provider.rx.request(LoopbackTarget(server, "/")).toBlocking().single()
      let over = DispatchSemaphore(value: 0)
      let scheduler = SerialDispatchQueueScheduler(qos: .default)
      let thread = Thread {
        for number in 0..<10_000 {
          #expect(
            throws: Never.self, "\(number)",
            performing: { try Observable.just(1).observe(on: scheduler).toBlocking().single() })
        }
        over.signal()
      }
      thread.stackSize = 512 << 10
      thread.start()
      over.wait()
    }
  }
}

import Dispatch
import Foundation
import ReactiveNetwork
import ReactiveNetworkLock
import RxLiteTesting
import Testing

@Suite("WebSocketScript with sequences")
struct WebSocketScriptSequenceTests {
  private enum Exchange: TargetType {
    case ticker

    var baseURL: URL { URL(filePath: "/") }
    var path: String { "/ticker" }
    var validationType: ValidationType { .none }
  }

  private let scheduler = TestScheduler(initialClock: 0)
  private let stubs = StubTable<Exchange>()

  private var provider: NetworkProvider<Exchange> {
    NetworkProvider(stubs: stubs, scheduler: scheduler.asDelayScheduler())
  }

  private func messages(_ text: String) -> [Character: WebSocketMessage] {
    Dictionary(uniqueKeysWithValues: text.map { ($0, .text(String($0))) })
  }

  @Test(
    "a cold sequence is what the server sends, and what the client sends can be compared, in virtual time")
  func marbles() throws {
    let marbles = Marbles(scheduler: scheduler)
    let sent = scheduler.createObserver(WebSocketMessage.self)
    let ticks = try marbles.cold("--a-b--c|", values: messages("abc"))
    stubs.add(
      path: "/ticker",
      [
        .webSocket(
          WebSocketScript { messages in
            _ = messages.subscribe(sent)
            return ticks.asObservable()
          })
      ])
    let commands = try marbles.cold("-x--y", values: messages("xy"))
    let provider = provider
    let result = scheduler.start { provider.rx.webSocket(.ticker, sending: commands.asObservable()) }
    #expect(result.events == (try marbles.events("--a-b--c|", values: messages("abc"))))
    #expect(sent.events == (try marbles.events("-x--y---|", values: messages("xy"))))
  }

  @Test("the server chooses the subprotocol of the script")
  func subprotocol() async throws {
    stubs.add(path: "/ticker", [.webSocket(WebSocketScript(subprotocol: "graphql") { _ in .never() })])
    let socket = try await NetworkProvider<Exchange>(stubs: stubs)
      .webSocket(.ticker, options: WebSocketOptions(subprotocols: ["json", "graphql"]))
    #expect(socket.subprotocol == "graphql")
  }

  @Test("the sequence of a server is disposed when its connection ends")
  func disposed() {
    let ticks = scheduler.createColdObservable([Recorded.next(10, WebSocketMessage.text("a"))])
    stubs.add(path: "/ticker", [.webSocket(WebSocketScript { _ in ticks.asObservable() })])
    let provider = provider
    let result = scheduler.start(disposed: 300) {
      provider.rx.webSocket(.ticker, options: WebSocketOptions(pingInterval: .zero))
    }
    #expect(result.events == [.next(210, .text("a"))])
    #expect(ticks.subscriptions == [Subscription(200, 300)])
  }

  @Test("a newer room closes the socket of the older one, and retry opens the next after its delay")
  func switching() throws {
    let marbles = Marbles(scheduler: scheduler)
    let opened = Lock([Int]())
    let closed = Lock([Int]())
    let (clock, values) = (scheduler, messages("ab"))
    stubs.add(
      path: "/ticker",
      [
        .webSocket(
          WebSocketScript { sent in
            opened.withLock { $0.append(clock.clock) }
            _ = sent.subscribe(onCompleted: { closed.withLock { $0.append(clock.clock) } })
            return .never()
          }),
        .webSocket([.disconnect]),
        .webSocket([.send(.text("a")), .wait(.seconds(3)), .send(.text("b")), .close(.normalClosure)]),
      ])
    let provider = provider
    let result = scheduler.createObserver(WebSocketMessage.self)
    _ = try marbles.hot("1---2|", values: ["1": 1, "2": 2])
      .flatMapLatest { _ in
        provider.rx.webSocket(.ticker)
          .retry(backoff: .constant(.seconds(2)), maxAttempts: 3, scheduler: clock)
      }
      .subscribe(result)
    scheduler.start()
    #expect(opened.withLock { $0 } == [200])
    #expect(closed.withLock { $0 } == [204])
    #expect(result.events == (try marbles.events("------a--(b|)", values: values)))
  }

  @Test("an answer that comes before the call that announces its topic has returned is not lost")
  func promptAnswer() {
    stubs.add(
      path: "/ticker",
      [.webSocket(WebSocketScript { sent in sent.map { .text("\($0.text ?? "") is known") } })])
    let subject = provider.rx.webSocketSubject(.ticker, options: WebSocketOptions(pingInterval: .zero))
    let held = subject.subscribe()
    scheduler.start()
    let result = scheduler.createObserver(WebSocketMessage.self)
    let topic = subject.multiplex(subscribe: .text("+a"), unsubscribe: .text("-a")) {
      $0.text?.hasPrefix("+a") == true
    }
    let subscription = topic.subscribe(result)
    scheduler.start()
    #expect(result.events.compactMap(\.value.element?.text) == ["+a is known"])
    subscription.dispose()
    held.dispose()
  }

  @Test("a topic that begins while a connection that was given up still opens is announced on the next one")
  func afterLateOpening() throws {
    stubs.add(
      path: "/ticker",
      [.webSocket(WebSocketScript { sent in sent.map { .text("\($0.text ?? "") is known") } })],
      behavior: .delayed(seconds: 0))
    let provider = NetworkProvider<Exchange>(stubs: stubs)
    for round in 0..<300 {
      let subject = provider.rx.webSocketSubject(.ticker)
      let topic = { (name: String) in
        subject.multiplex(subscribe: .text("+\(name)"), unsubscribe: .text("-\(name)")) {
          $0.text?.hasPrefix("+\(name)") == true
        }.compactMap(\.text)
      }
      let first = topic("a").subscribe()
      // Each round gives the first connection up at another moment of its opening.
      for _ in 0..<(round % 100) * 20 { _ = scheduler.clock }
      first.dispose()
      #expect(
        try topic("b").take(1).timeout(.seconds(60), scheduler: SerialDispatchQueueScheduler(qos: .default))
          .toBlocking().toArray() == ["+b is known"])
    }
  }

  @Test("a topic whose condition throws an error fails with it, and is taken back")
  func failingCondition() {
    struct Fault: Error {}
    let script = WebSocketScript { sent in sent }
    stubs.add(path: "/ticker", [.webSocket(script)])
    let subject = provider.rx.webSocketSubject(.ticker, options: WebSocketOptions(pingInterval: .zero))
    let held = subject.subscribe()
    scheduler.start()
    let result = scheduler.createObserver(WebSocketMessage.self)
    let topic = subject.multiplex(subscribe: .text("+a"), unsubscribe: .text("-a")) { _ in throw Fault() }
    let subscription = topic.subscribe(result)
    scheduler.start()
    #expect(result.events.count == 1)
    #expect(result.events.first?.value.error is Fault)
    #expect(script.received.compactMap(\.text) == ["+a", "-a"])
    subscription.dispose()
    held.dispose()
  }

  @Test("the last topic is taken back before the connection closes")
  func lastTopic() {
    let script: WebSocketScript = []
    stubs.add(path: "/ticker", [.webSocket(script)])
    let subject = NetworkProvider<Exchange>(stubs: stubs).rx.webSocketSubject(.ticker)
    let topic = subject.multiplex(subscribe: .text("+a"), unsubscribe: .text("-a")) { _ in true }
    topic.subscribe().dispose()
    #expect(script.received.compactMap(\.text) == ["+a", "-a"])
  }

  @Test("a dropped message is reported as unsent if the program has sent it, and not if a topic has")
  func unsentTopic() {
    stubs.add(path: "/ticker", [.webSocket([])], behavior: .delayed(seconds: 5))
    let subject = provider.rx.webSocketSubject(
      .ticker, options: WebSocketOptions(sendQueueLimit: 1, pingInterval: .zero))
    var unsent: [WebSocketMessage] = []
    let reports = subject.unsent.subscribe(onNext: { unsent.append($0) })
    subject.send(.text("a"))
    let topic = subject.multiplex(subscribe: .text("+b"), unsubscribe: .text("-b")) { _ in true }
      .subscribe(onError: { _ in })
    scheduler.start()
    #expect(unsent == [.text("a")])
    topic.dispose()
    reports.dispose()
  }

  @Test("a subscription that follows the completion of a shared connection opens another one")
  func afterCompletion() {
    stubs.add(
      path: "/ticker",
      [
        .webSocket([.wait(.seconds(3)), .close(.normalClosure)]),
        .webSocket([.wait(.seconds(3)), .send(.text("again")), .close(.normalClosure)]),
      ])
    let subject = provider.rx.webSocketSubject(.ticker, options: WebSocketOptions(pingInterval: .zero))
    let result = scheduler.createObserver(WebSocketMessage.self)
    let bag = DisposeBag()
    subject.subscribe(onCompleted: { subject.subscribe(result).disposed(by: bag) }).disposed(by: bag)
    // Still belongs to the first connection when the other subscription follows.
    subject.subscribe().disposed(by: bag)
    scheduler.start()
    #expect(result.events.compactMap(\.value.element?.text) == ["again"])
  }

  @Test("a message that is sent while a connection ends is received, reported, or sent over the next one")
  func sentAtTheEnd() {
    let script: WebSocketScript = []
    stubs.add(path: "/ticker", [.webSocket(script)])
    let subject = NetworkProvider<Exchange>(stubs: stubs).rx.webSocketSubject(.ticker)
    let unsent = Lock([WebSocketMessage]())
    let (mayBegin, hasBegun, hasEnded, isReported) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0),
      DispatchSemaphore(value: 0)
    )
    let reports = subject.unsent.subscribe(onNext: { message in
      unsent.withLock { $0.append(message) }
      isReported.signal()
    })
    let (rounds, burst) = (1_000, 50)
    Thread.detachNewThread {
      for round in 0..<rounds {
        mayBegin.wait()
        for number in 0..<burst {
          subject.send(.text("\(round * burst + number)"))
          if number == 0 { hasBegun.signal() }
        }
        hasEnded.signal()
      }
    }
    for _ in 0..<rounds {
      let connection = subject.subscribe()
      mayBegin.signal()
      hasBegun.wait()
      connection.dispose()
      hasEnded.wait()
    }
    // Takes what still waits for a connection.
    let last = subject.subscribe()
    // A message of the other thread may be reported later, on a background thread.
    for _ in 0..<max(0, rounds * burst - script.received.count) {
      guard isReported.wait(timeout: .now() + 60) == .success else { break }
    }
    let texts = (script.received + unsent.withLock { $0 }).compactMap(\.text)
    #expect(texts.count == rounds * burst)
    #expect(Set(texts).count == rounds * burst)
    last.dispose()
    reports.dispose()
  }

  @Test("a message that the server's close leaves unsent is reported, and does not fail the sequence")
  func closedBeforeSending() {
    let script: WebSocketScript = [.receive(.text("a")), .close(.normalClosure)]
    // Delayed, so that both messages wait when the server begins to read.
    stubs.add(path: "/ticker", [.webSocket(script)], behavior: .delayed(seconds: 5))
    let unsent = Lock([WebSocketMessage]())
    let provider = provider
    let result = scheduler.start {
      provider.rx.webSocket(
        .ticker, options: WebSocketOptions(pingInterval: .zero), sending: .of(.text("a"), .text("b")),
        unsent: AnyObserver { event in
          if case .next(let message) = event { unsent.withLock { $0.append(message) } }
        })
    }
    #expect(script.received == [.text("a")])
    #expect(unsent.withLock { $0 } == [.text("b")])
    #expect(result.events.map(\.value) == [.completed])
  }

  @Test("an error of the sequence is the client's, and a close code closes with it")
  func errors() {
    struct Fault: Error, Equatable {}
    let closing = NetworkError.underlying(WebSocketError.closed(code: .policyViolation, reason: "no"), nil)
    let bare = WebSocketError.closed(code: .policyViolation, reason: "bare")
    for (error, expected) in [(Fault() as any Error, "Fault"), (closing, "no"), (bare, "bare")] {
      stubs.add(path: "/ticker", [.webSocket(WebSocketScript { _ in .error(error) })])
      let result = scheduler.createObserver(WebSocketMessage.self)
      _ = provider.rx.webSocket(.ticker).subscribe(result)
      scheduler.start()
      #expect(result.events.count == 1)
      #expect("\(result.events)".contains(expected))
    }
  }

  @Test("the server closes with the code and the reason of the error")
  func closeCode() {
    let closed = WebSocketError.closed(code: .policyViolation, reason: "no")
    stubs.add(path: "/ticker", [.webSocket(WebSocketScript { _ in .error(closed) })])
    let result = scheduler.createObserver(WebSocketMessage.self)
    _ = provider.rx.webSocket(.ticker).subscribe(result)
    scheduler.start()
    let error = result.events.first?.value.error as? NetworkError
    #expect(error?.underlyingError as? WebSocketError == closed)
  }

  @Test("the client of a sequence that answers no pings fails")
  func unansweredPings() {
    stubs.add(path: "/ticker", [.webSocket(WebSocketScript(answersPings: false) { _ in .never() })])
    let provider = provider
    let result = scheduler.start {
      provider.rx.webSocket(.ticker, options: WebSocketOptions(pingInterval: .seconds(10)))
    }
    let error = (result.events.first?.value.error as? NetworkError)?.underlyingError
    guard case .noPong? = error as? WebSocketError else {
      Issue.record("\(result.events)")
      return
    }
  }

  @Test("as many bytes as the limit may wait for a connection, and no more")
  func exactLimit() {
    let message = WebSocketMessage.text("a")
    let subject = provider.rx.webSocketSubject(
      .ticker, options: WebSocketOptions(sendQueueLimit: 2 * message.bufferedByteCount))
    var unsent: [WebSocketMessage] = []
    let reports = subject.unsent.subscribe(onNext: { unsent.append($0) })
    for _ in 0..<2 { subject.send(message) }
    #expect(unsent.isEmpty)
    subject.send(message)
    #expect(unsent == [message, message, message])
    reports.dispose()
  }

  @Test("topics that have ended do not count towards the limit of what waits for a connection")
  func endedTopics() {
    stubs.add(path: "/ticker", [.webSocket([])], behavior: .delayed(seconds: 5))
    let announcement = WebSocketMessage.text("+a")
    let subject = provider.rx.webSocketSubject(
      .ticker,
      options: WebSocketOptions(sendQueueLimit: 2 * announcement.bufferedByteCount, pingInterval: .zero))
    var unsent: [WebSocketMessage] = []
    let reports = subject.unsent.subscribe(onNext: { unsent.append($0) })
    let held = subject.subscribe()
    let topic = subject.multiplex(subscribe: announcement, unsubscribe: .text("-a")) { _ in true }
    for _ in 0..<10 { topic.subscribe().dispose() }
    subject.send(.text("b"))
    #expect(unsent.isEmpty)
    held.dispose()
    reports.dispose()
  }

  @Test("what a connection has taken does not count towards the limit of what waits for the next one")
  func takenMessages() {
    let script: WebSocketScript = []
    stubs.add(path: "/ticker", [.webSocket(script)])
    let (first, second) = (WebSocketMessage.text("a"), WebSocketMessage.text("b"))
    let subject = NetworkProvider<Exchange>(stubs: stubs).rx.webSocketSubject(
      .ticker,
      options: WebSocketOptions(sendQueueLimit: 2 * first.bufferedByteCount - 1, pingInterval: .zero))
    var unsent: [WebSocketMessage] = []
    let reports = subject.unsent.subscribe(onNext: { unsent.append($0) })
    subject.send(first)
    subject.subscribe().dispose()
    #expect(script.received == [first])
    subject.send(second)
    #expect(unsent.isEmpty)
    reports.dispose()
  }

  @Test("a stubbed stream is delivered in virtual time, like a stubbed request")
  func stream() {
    stubs.add(path: "/ticker", [.networkResponse(200, Data("x".utf8))], behavior: .delayed(seconds: 7))
    let result = scheduler.createObserver(Int.self)
    _ = provider.rx.stream(.ticker).map(\.count).subscribe(result)
    scheduler.start()
    #expect(result.events == [.next(7, 1), .completed(7)])
  }
}

import Dispatch
import NetworkCore
import ReactiveNetwork
import ReactiveNetworkLock
import RxLite

extension Composition {
  /// Whether the client closes its WebSockets after its messages, and not the server.
  var closesSockets: Bool { seed % 2 == 0 }
}

extension ProgramRun {
  /// Subscribes to WebSockets.
  func runSockets() {
    let subscriptions = CompositeDisposable()
    prepareCancellation { subscriptions.dispose() }
    let subject = composition.shape == .topics ? provider.rx.webSocketSubject(first, options: options) : nil
    // One sequence for all subscribers, so that they share it if it is shared.
    let sequence = subject == nil ? sockets() : nil
    for _ in 0..<composition.subscribers {
      let received = Lock(ReceivedMessages())
      let failure = Lock((any Error)?.none)
      guard let messages = sequence ?? subject.map({ topic(of: $0) }) else { return }
      ends.enter()
      let subscription = messages.subscribe(
        onNext: { self.receive($0, received) }, onError: { error in failure.withLock { $0 = error } },
        onDisposed: {
          self.end(received.withLock { $0.count }, failure.withLock { $0 })
          self.ends.leave()
        })
      _ = subscriptions.insert(subscription)
    }
    cancelInTime { subscriptions.dispose() }
  }

  /// Opens WebSockets in tasks.
  func runSocketTasks() {
    let tasks = CompositeDisposable()
    let isCancelled = composition.cancellation == .atOnce
    prepareCancellation { tasks.dispose() }
    for _ in 0..<composition.subscribers {
      ends.enter()
      let task = Task {
        if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
        let received = Lock(ReceivedMessages())
        do {
          let socket = try await self.provider.webSocket(self.first, options: self.options)
          for _ in 0..<SocketRecord.messages { try await socket.send(.text(self.newText("m"))) }
          if self.composition.closesSockets { socket.close() }
          for try await message in socket { self.receive(message, received) }
          self.end(received.withLock { $0.count }, nil)
        } catch {
          self.end(0, error)
        }
        self.ends.leave()
      }
      _ = tasks.insert(Disposables.create { task.cancel() })
    }
    if !isCancelled { cancelInTime { tasks.dispose() } }
  }

  /// Replays the recording of a WebSocket.
  func replaySocket(over provider: NetworkProvider<ProgramTarget>) {
    let isOneConversation = composition.shape == .socket || composition.shape == .taskOfSocket
    guard isOneConversation else { return ends.leave() }
    let count = Lock(0)
    _ = provider.rx.webSocket(
      first, options: options, sending: outgoing(), closesAfterSending: composition.closesSockets
    ).subscribe(
      onNext: { _ in count.withLock { $0 += 1 } },
      onError: { self.record.note("the replay of a WebSocket failed: \($0)") },
      onDisposed: {
        let count = count.withLock { $0 }
        if count != SocketRecord.messages + 1 { self.record.note("the replay has \(count) messages") }
        self.ends.leave()
      })
  }

  /// The promises about WebSockets that the program broke.
  var faultsOfSockets: [String] {
    let sockets = record.state.withLock { $0.sockets }
    var faults: [String] = []
    let messages = sockets.connections.flatMap(\.received).filter { $0.hasPrefix("m") }
    if Set(messages).count != messages.count { faults.append("a message was sent twice") }
    if sockets.connections.contains(where: { Set($0.received).count != $0.received.count }) {
      faults.append("a topic began or ended twice on a connection")
    }
    if !Set(messages).isDisjoint(with: sockets.unsent) {
      faults.append("a message was received, and reported as not sent")
    }
    if Set(sockets.unsent).count != sockets.unsent.count {
      faults.append("a message was reported twice as not sent")
    }
    // Chaos may cut any connection.
    let unclosed = sockets.connections.count { $0.isInUse && !$0.isBroken && !$0.hasClosing }
    if unclosed > 0, !composition.layers.contains(.chaos) {
      faults.append("\(unclosed) WebSockets were cut without a close frame")
    }
    return faults
  }

  private var options: WebSocketOptions {
    // Virtual time passes faster than messages travel.
    composition.isVirtual
      ? WebSocketOptions(openTimeout: .zero, pingInterval: .zero, closeTimeout: .seconds(1_000_000_000))
      : WebSocketOptions(closeTimeout: .seconds(patience))
  }

  private func newText(_ prefix: String) -> String { record.state.withLock { $0.sockets.next(prefix) } }

  /// Messages that are different at each subscription.
  private func outgoing() -> Observable<WebSocketMessage> {
    .deferred { .from((0..<SocketRecord.messages).map { _ in .text(self.newText("m")) }) }
  }

  private func socket() -> Observable<WebSocketMessage> {
    let unsent = AnyObserver<WebSocketMessage> { [record] event in
      if case .next(let message) = event {
        record.state.withLock { $0.sockets.unsent.append(message.text ?? "") }
      }
    }
    return operated(
      provider.rx.webSocket(
        first, options: options, sending: outgoing(), closesAfterSending: composition.closesSockets,
        unsent: unsent))
  }

  /// The sequence that each subscriber subscribes to.
  private func sockets() -> Observable<WebSocketMessage> {
    guard composition.shape == .latestSocket else { return socket() }
    return .deferred {
      let rooms = BehaviorSubject(value: 0)
      return rooms.flatMapLatest { room in
        self.socket().do(onNext: { _ in
          // Within the delivery of the older connection.
          if room < 2 { rooms.onNext(room + 1) } else { rooms.onCompleted() }
        })
      }
    }
  }

  private func topic(of subject: WebSocketSubject) -> Observable<WebSocketMessage> {
    let name = newText("t")
    let (begin, end) = (WebSocketMessage.text("+\(name)"), WebSocketMessage.text("-\(name)"))
    let messages = subject.multiplex(subscribe: begin, unsubscribe: end) { message in
      message.text.flatMap { SocketRecord.Message($0) }?.topic == name
    }
    return operated(messages).take(SocketRecord.messagesOfTopic)
  }

  private func operated(_ messages: Observable<WebSocketMessage>) -> Observable<WebSocketMessage> {
    let (policies, scheduler) = (policies, policies.scheduler)
    return composition.operators.reduce(messages) { messages, name in
      switch name {
      case .retry: messages.retry(backoff: .constant(policies.wait), scheduler: scheduler)
      case .budgetedRetry:
        messages.retry(
          backoff: .constant(policies.wait), resetOnSuccess: true, budget: policies.budget,
          scheduler: scheduler)
      case .limited: messages.limitConcurrency(policies.limit, longestWait: nil)
      case .observeOnPool: messages.observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
      case .observeOnQueue: messages.observe(on: SerialDispatchQueueScheduler(qos: .default))
      case .shared: messages.share(replay: 1)
      case .takeUntil: messages.take(until: stop)
      default: messages
      }
    }
  }

  private func receive(_ message: WebSocketMessage, _ received: borrowing Lock<ReceivedMessages>) {
    arrival.signal()
    guard let message = message.text.flatMap({ SocketRecord.Message($0) }) else {
      return record.note("a message is not the server's: \(message)")
    }
    let isLate = record.state.withLock { state in
      state.sockets.connections[message.connection].isInUse = true
      return state.sockets.isOver
    }
    if isLate { service.lateMessages.withLock { $0 += 1 } }
    let isShared = composition.has(.shared)
    if let fault = received.withLock({ $0.add(message, isShared: isShared) }) { record.note(fault) }
    if message.index == 0 { handle() }
  }

  /// Handles the end of a subscription or task.
  private func end(_ count: Int, _ error: (any Error)?) {
    let isWhole =
      composition.shape == .topics
      ? count >= 1 : count == SocketRecord.messages + 1 || composition.has(.shared)
    if error != nil || !isWhole { fail(error) }
  }
}

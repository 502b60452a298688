#if OPENCOMBINE
  import Foundation
  import LoopbackServer
  import NetworkCore
  import OpenCombine
  import ReactiveNetworkOpenCombine
  import Testing

  @Suite("Requests as publishers", .timeLimit(.minutes(5)))
  struct RequestPublisherTests {
    private let server: LoopbackServer
    private let provider = NetworkProvider<Page>()

    init() throws {
      server = try LoopbackServer { request in
        switch request.path {
        case "/": .text("hello")
        case "/json": .json(#"{"user": {"name": "ash", "tags": [1, 2]}}"#)
        case "/slow": .never
        case "/choices": .status(300)
        case "/large": .repeating(65, count: 4 << 20).header("Content-Type", "text/plain")
        default: .status(404)
        }
      }
    }

    private func texts(_ events: [TestSubscriber<Response, NetworkError>.Event]) -> [String] {
      events.map { event in
        switch event {
        case .value(let response): "\(response.statusCode)"
        case .finished: "finished"
        case .failed(let error): error.isCancelled ? "cancelled" : "failed"
        }
      }
    }

    @Test("nothing is sent before the first demand; then the value arrives, and the completion")
    func demand() async throws {
      let subscriber = TestSubscriber<Response, NetworkError>()
      provider.requestPublisher(Page(server, "/")).subscribe(subscriber)
      // Another request gives the first one, which must not be sent, time to arrive.
      _ = try await provider.response(for: Page(server, "/json"))
      subscriber.request(.none)
      _ = try await provider.response(for: Page(server, "/json"))
      #expect(server.log.requests.map(\.path) == ["/json", "/json"])
      subscriber.request(.max(1))
      await subscriber.wait(for: 2)
      #expect(texts(subscriber.events) == ["200", "finished"])
      #expect(server.log.requestCount == 3)
    }

    @Test("each subscriber has its own request, and further demand sends no other")
    func cold() async throws {
      let publisher = provider.requestPublisher(Page(server, "/"))
      for _ in 0..<2 {
        let subscriber = TestSubscriber<Response, NetworkError>(demands: [.unlimited])
        publisher.subscribe(subscriber)
        subscriber.request(.max(2))
        subscriber.request(.max(2))
        await subscriber.wait(for: 2)
        subscriber.request(.unlimited)
        #expect(texts(subscriber.events) == ["200", "finished"])
      }
      _ = try await provider.response(for: Page(server, "/json"))
      #expect(server.log.requests.map(\.path) == ["/", "/", "/json"])
    }

    @Test("an error is delivered once, and needs no further demand")
    func failure() async throws {
      let subscriber = TestSubscriber<Response, NetworkError>()
      provider.requestPublisher(Page(server, "/missing")).filterSuccessfulStatusCodes().subscribe(subscriber)
      subscriber.request(.max(1))
      await subscriber.wait(for: 1)
      #expect(texts(subscriber.events) == ["failed"])
    }

    @Test("a cancelled subscription closes its connection and delivers nothing")
    func cancel() async throws {
      let subscriber = TestSubscriber<Response, NetworkError>()
      provider.requestPublisher(Page(server, "/slow")).subscribe(subscriber)
      subscriber.request(.unlimited)
      try await server.log(until: { $0.pending == 1 })
      subscriber.cancel()
      subscriber.cancel()
      try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
      subscriber.request(.unlimited)
      #expect(subscriber.events.isEmpty)
      #expect(server.log.requestCount == 1)
    }

    @Test("releasing a sink's cancellable closes the connection")
    func release() async throws {
      var sink: AnyCancellable? = provider.requestPublisher(Page(server, "/slow"))
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      try await server.log(until: { $0.pending == 1 })
      #expect(sink != nil)
      sink = nil
      try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
    }

    @Test("a cancellation before the first demand sends nothing")
    func early() async throws {
      let subscriber = TestSubscriber<Response, NetworkError>()
      provider.requestPublisher(Page(server, "/")).subscribe(subscriber)
      subscriber.cancel()
      subscriber.request(.unlimited)
      _ = try await provider.response(for: Page(server, "/json"))
      #expect(server.log.requests.map(\.path) == ["/json"])
      #expect(subscriber.events.isEmpty)
    }

    @Test("a demand for one progress value delivers one, and the next demand the latest")
    func progress() async throws {
      let subscriber = TestSubscriber<ProgressResponse, NetworkError>()
      provider.requestWithProgressPublisher(Page(server, "/large")).subscribe(subscriber)
      subscriber.request(.max(1))
      await subscriber.wait(for: 1)
      _ = try await provider.response(for: Page(server, "/large"))
      #expect(subscriber.events.count == 1)
      while true {
        // The events are counted before the check, because the completion may arrive at any time and must not
        // be missed.
        let count = subscriber.events.count
        if subscriber.hasEnded { break }
        subscriber.request(.max(1))
        await subscriber.wait(for: count + 1)
        #expect(subscriber.events.count <= count + 2)
      }
      guard case .value(let last)? = subscriber.events.dropLast().last,
        case .finished? = subscriber.events.last
      else {
        Issue.record("no completion")
        return
      }
      #expect(last.response?.data.count == 4 << 20)
      #expect(subscriber.events.count { if case .finished = $0 { true } else { false } } == 1)
    }

    @Test("progress and response can be separated")
    func progressOperators() async throws {
      let completed = TestSubscriber<Response, NetworkError>()
      provider.requestWithProgressPublisher(Page(server, "/")).filterCompleted().subscribe(completed)
      completed.request(.unlimited)
      await completed.wait(for: 2)
      #expect(texts(completed.events) == ["200", "finished"])
      let progress = TestSubscriber<Double, NetworkError>()
      provider.requestWithProgressPublisher(Page(server, "/large")).filterProgress().subscribe(progress)
      progress.request(.unlimited)
      await progress.waitForEnd()
      let numbers = progress.events.compactMap { if case .value(let number) = $0 { number } else { nil } }
      #expect(numbers == numbers.sorted())
      #expect(numbers.allSatisfy { $0 <= 1 })
    }

    @Test("the value that has the response is no progress")
    func lastProgress() async {
      let response = Response(statusCode: 200, data: Data())
      let subscriber = TestSubscriber<Double, Never>()
      [ProgressResponse(), ProgressResponse(response: response)].publisher.filterProgress()
        .subscribe(subscriber)
      subscriber.request(.unlimited)
      await subscriber.waitForEnd()
      let numbers = subscriber.events.compactMap { if case .value(let number) = $0 { number } else { nil } }
      #expect(numbers == [0])
    }

    @Test("each filter and mapping passes a matching response, and fails otherwise")
    func operators() async throws {
      func ends<Output>(_ publisher: AnyPublisher<Output, NetworkError>) async -> Bool {
        let subscriber = TestSubscriber<Bool, NetworkError>()
        publisher.map { _ in true }.subscribe(subscriber)
        subscriber.request(.unlimited)
        await subscriber.waitForEnd()
        if case .finished? = subscriber.events.last { return true }
        return false
      }
      let json = provider.requestPublisher(Page(server, "/json"))
      let missing = provider.requestPublisher(Page(server, "/missing"))
      #expect(await ends(json.filter(statusCodes: 200..<300)))
      #expect(await !ends(missing.filter(statusCodes: 200..<300)))
      #expect(await ends(missing.filter(statusCode: 404)))
      #expect(await !ends(json.filter(statusCode: 404)))
      #expect(await !ends(missing.filterSuccessfulStatusCodes()))
      #expect(await !ends(missing.filterSuccessfulStatusAndRedirectCodes()))
      let choices = provider.requestPublisher(Page(server, "/choices"))
      #expect(await !ends(choices.filterSuccessfulStatusCodes()))
      #expect(await ends(choices.filterSuccessfulStatusAndRedirectCodes()))
      #expect(await ends(json.mapJSON()))
      #expect(await !ends(missing.mapJSON()))
      #expect(await ends(missing.mapJSON(failsOnEmptyData: false)))
      #expect(await ends(missing.map([Int].self, failsOnEmptyData: false)))
      #expect(await ends(json.mapString(atKeyPath: "user.name")))
      #expect(await !ends(json.mapString(atKeyPath: "user.tags")))
      #expect(await ends(json.map([Int].self, atKeyPath: "user.tags")))
      #expect(await !ends(json.map([String].self, atKeyPath: "user.tags")))
    }

    @Test("concurrent demands and cancellations end every request once, or not at all")
    func threads() async throws {
      for round in 0..<50 {
        let subscriber = TestSubscriber<Response, NetworkError>()
        provider.requestPublisher(Page(server, "/")).subscribe(subscriber)
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<4 { group.addTask { subscriber.request(.max(1)) } }
          if round % 2 == 1 { group.addTask { subscriber.cancel() } }
        }
        if round % 2 == 0 { await subscriber.wait(for: 2) }
        let events = texts(subscriber.events)
        #expect(events == ["200", "finished"] || round % 2 == 1 && (events.isEmpty || events == ["200"]))
      }
    }

    @Test("a subscriber is released when its request has ended or was cancelled")
    func lifetimes() async throws {
      weak var ended: TestSubscriber<Response, NetworkError>?
      weak var cancelled: TestSubscriber<Response, NetworkError>?
      do {
        let first = TestSubscriber<Response, NetworkError>()
        let second = TestSubscriber<Response, NetworkError>()
        (ended, cancelled) = (first, second)
        provider.requestPublisher(Page(server, "/")).subscribe(first)
        first.request(.unlimited)
        await first.wait(for: 2)
        provider.requestPublisher(Page(server, "/slow")).subscribe(second)
        second.request(.unlimited)
        try await server.log(until: { $0.pending == 1 })
        second.cancel()
      }
      try await server.log(until: { $0.abandoned.count == 1 })
      #expect(ended == nil)
      #expect(cancelled == nil)
    }
  }
#endif

#if OPENCOMBINE
  import NetworkCore
  import OpenCombine
  import Testing

  @testable import ReactiveNetworkOpenCombine

  @Suite("Demand for the values of a request")
  struct DemandTests {
    private struct Failure: Error {}
    private struct StubCancellable: NetworkCore.Cancellable {
      var isCancelled: Bool { false }
      func cancel() {}
    }

    private typealias Events = TestSubscriber<Int, Failure>

    /// Subscribes a subscriber to work that sends these values, and then the end unless `continues` is set.
    private func subscriber(_ values: ClosedRange<Int>, failure: Failure? = nil, continues: Bool = false)
      -> Events
    {
      let subscriber = Events()
      RequestPublisher<Int, Failure> { next, end in
        for value in values { next(value) }
        if !continues { end(failure) }
        return StubCancellable()
      }.subscribe(subscriber)
      return subscriber
    }

    private func texts(_ subscriber: Events) -> [String] {
      subscriber.events.map { event in
        switch event {
        case .value(let value): "\(value)"
        case .finished: "finished"
        case .failed: "failed"
        }
      }
    }

    @Test("the latest value waits for demand, and the completion follows it")
    func latest() {
      let subscriber = subscriber(1...5)
      subscriber.request(.max(1))
      #expect(texts(subscriber) == ["1"])
      subscriber.request(.max(1))
      #expect(texts(subscriber) == ["1", "5", "finished"])
    }

    @Test("an error does not wait for demand")
    func error() {
      let subscriber = subscriber(1...5, failure: Failure())
      subscriber.request(.max(1))
      #expect(texts(subscriber) == ["1", "failed"])
    }

    @Test("with unlimited demand, all values are delivered, and the completion once")
    func unlimited() {
      let subscriber = subscriber(1...5)
      subscriber.request(.unlimited)
      subscriber.request(.unlimited)
      #expect(texts(subscriber) == ["1", "2", "3", "4", "5", "finished"])
    }

    @Test("the demand that a subscriber returns is added")
    func returnedDemand() {
      let subscriber = Events(demands: [.max(1), .none, .max(2)])
      RequestPublisher<Int, Failure> { next, _ in
        for value in 1...5 { next(value) }
        return StubCancellable()
      }.subscribe(subscriber)
      subscriber.request(.max(1))
      #expect(texts(subscriber) == ["1", "2"])
      subscriber.request(.max(1))
      #expect(texts(subscriber) == ["1", "2", "5"])
    }

    @Test("nothing is delivered after a cancellation, even if it is pending or is requested later")
    func cancel() {
      let subscriber = subscriber(1...5, continues: true)
      subscriber.request(.max(1))
      subscriber.cancel()
      subscriber.request(.unlimited)
      #expect(texts(subscriber) == ["1"])
    }
  }
#endif

#if OPENCOMBINE
  import NetworkCore
  import OpenCombine
  import Testing

  @testable import ReactiveNetworkOpenCombine

  @Suite("Demand for the values of a request")
  struct DemandTests {
    private struct Failure: Error {}
    private struct Work: NetworkCore.Cancellable {
      var isCancelled: Bool { false }
      func cancel() {}
    }

    private typealias Events = Probe<Int, Failure>

    /// Subscribes a probe to work that sends these values, and then the end unless `goesOn` is set.
    private func probe(_ values: ClosedRange<Int>, failure: Failure? = nil, goesOn: Bool = false) -> Events {
      let probe = Events()
      RequestPublisher<Int, Failure> { next, end in
        for value in values { next(value) }
        if !goesOn { end(failure) }
        return Work()
      }.subscribe(probe)
      return probe
    }

    private func texts(_ probe: Events) -> [String] {
      probe.events.map { event in
        switch event {
        case .value(let value): "\(value)"
        case .finished: "finished"
        case .failed: "failed"
        }
      }
    }

    @Test("the latest value waits for demand, and the completion follows it")
    func latest() {
      let probe = probe(1...5)
      probe.request(.max(1))
      #expect(texts(probe) == ["1"])
      probe.request(.max(1))
      #expect(texts(probe) == ["1", "5", "finished"])
    }

    @Test("an error does not wait for demand")
    func error() {
      let probe = probe(1...5, failure: Failure())
      probe.request(.max(1))
      #expect(texts(probe) == ["1", "failed"])
    }

    @Test("with unlimited demand, all values are delivered, and the completion once")
    func unlimited() {
      let probe = probe(1...5)
      probe.request(.unlimited)
      probe.request(.unlimited)
      #expect(texts(probe) == ["1", "2", "3", "4", "5", "finished"])
    }

    @Test("the demand that a subscriber returns is added")
    func answers() {
      let probe = Events(answers: [.max(1), .none, .max(2)])
      RequestPublisher<Int, Failure> { next, _ in
        for value in 1...5 { next(value) }
        return Work()
      }.subscribe(probe)
      probe.request(.max(1))
      #expect(texts(probe) == ["1", "2"])
      probe.request(.max(1))
      #expect(texts(probe) == ["1", "2", "5"])
    }

    @Test("nothing is delivered after a cancellation, even if it is pending or is requested later")
    func cancel() {
      let probe = probe(1...5, goesOn: true)
      probe.request(.max(1))
      probe.cancel()
      probe.request(.unlimited)
      #expect(texts(probe) == ["1"])
    }
  }
#endif

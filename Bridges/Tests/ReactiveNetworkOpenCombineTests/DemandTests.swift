#if OPENCOMBINE
  import NetworkCore
  import OpenCombine
  import Testing

  @testable import ReactiveNetworkOpenCombine

  @Suite("The demand for what work sends")
  struct DemandTests {
    private struct Failure: Error {}
    private struct Work: NetworkCore.Cancellable {
      var isCancelled: Bool { false }
      func cancel() {}
    }

    private typealias Events = Probe<Int, Failure>

    /// Subscribes a probe to work that sends these values, and then the end unless it is to go on.
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

    @Test("the latest value waits to be asked for, and the completion with it")
    func latest() {
      let probe = probe(1...5)
      probe.request(.max(1))
      #expect(texts(probe) == ["1"])
      probe.request(.max(1))
      #expect(texts(probe) == ["1", "5", "finished"])
    }

    @Test("an error does not wait")
    func error() {
      let probe = probe(1...5, failure: Failure())
      probe.request(.max(1))
      #expect(texts(probe) == ["1", "failed"])
    }

    @Test("all values come where all are asked for, and the completion comes once")
    func unlimited() {
      let probe = probe(1...5)
      probe.request(.unlimited)
      probe.request(.unlimited)
      #expect(texts(probe) == ["1", "2", "3", "4", "5", "finished"])
    }

    @Test("what a subscriber answers counts as demand")
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

    @Test("nothing comes after a cancel, be it asked for or on its way")
    func cancel() {
      let probe = probe(1...5, goesOn: true)
      probe.request(.max(1))
      probe.cancel()
      probe.request(.unlimited)
      #expect(texts(probe) == ["1"])
    }
  }
#endif

internal import LoopbackServer
internal import NetworkCoreTransport

extension TransportContract.Check {
  static let capabilities: [Self] = [
    Self(.capabilities, "gauges count a request while it is in flight") { run in
      let transport = try run.transport()
      guard transport.gauges != nil else { return }
      let transfer = run.start(TransportRequest(url: "\(run.origin)/never"), over: transport)
      try await run.log("the request") { $0.pending == 1 }
      try await run.poll("a request in flight") { transport.gauges?.requestsInFlight == 1 }
      run.expect(
        transport.gauges?.connections[run.origin]?.open == 1,
        "connections: \(String(describing: transport.gauges))")
      transfer.cancel()
      try await run.end(of: transfer)
      try await run.poll("no request in flight") { transport.gauges?.requestsInFlight == 0 }
    },
    Self(.capabilities, "gauges count the bytes of bodies") { run in
      let transport = try run.transport()
      guard let before = transport.gauges else { return }
      _ = try await run.exchange("/ok", over: transport)
      try await run.poll("two bytes more") {
        transport.gauges.map { $0.bodyBytesReceived - before.bodyBytesReceived } == 2
      }
    },
    Self(.capabilities, "an observer sees events in order, if the transport reports them") { run in
      let observer = EventRecorder()
      var request = TransportRequest(url: "\(run.origin)/ok")
      request.observer = observer
      let events = try await run.exchange(request, over: run.transport()) { $0.ends == [nil] }
      let seen = observer.names
      let order = ["connecting", "connected", "requestSent", "firstByte"]
      run.expect(
        seen == order.filter(seen.contains) || seen.isEmpty, "the events are \(seen.joined(separator: ", "))")
    },
  ]
}

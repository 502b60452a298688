import Foundation
import NetworkCore
import NetworkWaterfall
import ReactiveNetwork
import RxLite

private func use(_: Any...) {}

private enum GitHub: TargetType {
  case zen
  case repos(String)
  case image(String)
  case log

  var baseURL: URL { URL(string: "https://api.example.com")! }
  var path: String { "/zen" }
}

private enum Tracer {
  struct Span {
    let context: TraceContext
  }

  static var current: Span? { nil }
}

private struct EventLog: RequestObserver {
  func didObserve(_ event: RequestEvent) { print(event) }
}

private func observers() {
  let provider = NetworkProvider<GitHub>(plugins: [EventLog()])
  use(provider)
}

private func observed(_ provider: NetworkProvider<GitHub>) async throws {
  let observed = provider.observed { print($0) }
  observed.request(.repos("ash")) { print($0) }
  for try await chunk in observed.stream(.log) { print(chunk.count) }
}

private func transfers() {
  var request = TransportRequest(url: "http://127.0.0.1:8080/")
  request.observer = RequestObservation { print($0) }
  use(request)
}

private func observables(_ provider: NetworkProvider<GitHub>) {
  let slow = provider.rx.requestEvents.filter { event in
    if case .ended(_, let metrics?) = event.kind { metrics.total > .seconds(1) } else { false }
  }
  use(slow)
}

private func gauges() throws {
  let gauges = try CurlTransport.shared.gauges
  print(gauges.requestsInFlight, gauges.connections["https://api.github.com"]?.idle ?? 0)
}

private func gaugesOverTime() throws {
  let transport = try CurlTransport()
  let busy = transport.rx.gauges(every: .seconds(1)).map(\.requestsInFlight).distinctUntilChanged()
  use(busy)
}

private func records() {
  let slow = RequestRecordPlugin { record in
    if record.duration > .seconds(1) { print(record) }
  }
  use(slow)
}

private func attributes() {
  let provider = NetworkProvider<GitHub>(
    plugins: [RequestRecordPlugin { print($0.attributes) }])
  use(provider)
}

private func waterfalls() throws {
  let waterfall = WaterfallPlugin()
  let provider = NetworkProvider<GitHub>(plugins: [waterfall])
  try waterfall.svg(title: "Start").write(toFile: "start.svg", atomically: true, encoding: .utf8)
  use(provider)
}

private func contexts() throws {
  let context = try TraceContext(traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
  use(context)
}

private func traces() {
  let provider = NetworkProvider<GitHub>(
    plugins: [TraceContextPlugin { _ in Tracer.current?.context }])
  use(provider)
}

private func refusals(_ provider: NetworkProvider<GitHub>, _ lastPage: Response) async throws -> Response {
  let page: Response
  do {
    page = try await provider.response(for: .zen)
  } catch let error where error.transferError?.isRefusal == true {
    page = lastPage
  }
  return page
}

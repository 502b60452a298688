import Foundation
import Logging
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import ReactiveNetworkAsyncHTTPClient
import ReactiveNetworkOpenCombine
import ReactiveNetworkServiceLifecycle
import RxLite
import ServiceLifecycle
import Testing
import UnixSignals

#if OPENCOMBINE
  import OpenCombine
#else
  import Combine
#endif

private enum API: TargetType {
  case status
  case process(Int)
  case zen

  var baseURL: URL { URL(string: "https://api.example")! }
  var path: String { "/" }
}

private struct Examples {
  let provider: NetworkProvider<API>
  let jobs: Observable<Int>
  let logger: Logger

  func run() async throws {
    let service = ObservableService(provider.rx.request(.status).poll(every: .seconds(10)))
    let group = ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm], logger: logger)
    try await group.run()
  }

  func drain() -> ObservableService {
    let draining = ObservableService { shutdown in
      jobs.take(until: shutdown).flatMap { provider.rx.request(.process($0)) }
    }
    return draining
  }

  func publish() {
    let request = provider.requestPublisher(.zen)
      .filterSuccessfulStatusCodes()
      .mapString()
      .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    request.cancel()  // takes the transfer off the wire
  }

  func carried() -> NetworkProvider<API> {
    let provider = NetworkProvider<API>(transport: AsyncHTTPClientTransport())
    return provider
  }
}

@Suite("Examples in the README", .timeLimit(.minutes(5)))
struct ReadmeTests {
  @Test("the service requests the status, and ends with its group")
  func service() async throws {
    let server = try LoopbackServer { _ in .never }
    let provider = NetworkProvider<API>(
      endpointClosure: { target in
        Endpoint(
          url: server.origin + "/status", sampleResponseClosure: { .networkResponse(200, Data()) },
          method: target.method, task: target.task, httpHeaderFields: target.headers)
      })
    let examples = Examples(
      provider: provider, jobs: .empty(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let run = Task { try await examples.run() }
    try await server.log { $0.pending == 1 }
    run.cancel()
    _ = await run.result
    try await server.log { $0.abandoned.map(\.request.path) == ["/status"] }
    try await ServiceGroup(
      configuration: .init(
        services: [.init(service: examples.drain(), successTerminationBehavior: .ignore)],
        logger: examples.logger)
    ).run()
  }
}

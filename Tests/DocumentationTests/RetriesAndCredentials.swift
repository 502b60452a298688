import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

private enum Examples {
  static func retrying(over transport: any Transport) -> NetworkProvider<API> {
    NetworkProvider(transport: transport, interceptors: [RetryPolicy()])
  }

  static func zen(from provider: NetworkProvider<API>, scheduler: any SchedulerType) -> Single<Response> {
    provider.rx.request(.zen).retry(backoff: .exponential(), maxAttempts: 6, scheduler: scheduler)
  }
}

@Suite("Examples in Which one: retries and credentials", .timeLimit(.minutes(5)))
struct RetriesAndCredentialsTests {
  @Test("a pipeline retries a 503 five times, in virtual time")
  func pipeline() {
    let scheduler = TestScheduler(initialClock: 0)
    let stubs = StubTable<API>()
    let failures = Array(repeating: EndpointSampleResponse.networkResponse(503, Data()), count: 5)
    stubs.add(path: "/zen", failures + [.networkResponse(200, Data())])
    let provider = NetworkProvider<API>(stubs: stubs, scheduler: scheduler.asDelayScheduler())
    let zen = scheduler.record(Examples.zen(from: provider, scheduler: scheduler).asObservable())
    scheduler.start()
    #expect(zen.events.compactMap(\.value.element?.statusCode) == [200])
  }
}

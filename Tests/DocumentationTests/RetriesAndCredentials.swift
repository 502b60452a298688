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

  static func latest(from provider: NetworkProvider<API>, scheduler: any SchedulerType) -> Single<Response> {
    provider.rx.request(.zen).retry(RetryPolicy(retryLimit: 5, deadline: .seconds(30)), scheduler: scheduler)
  }

  static func zen(from provider: NetworkProvider<API>, scheduler: any SchedulerType) -> Single<Response> {
    provider.rx.request(.zen).retry(backoff: .exponential(), maxAttempts: 6, scheduler: scheduler)
  }
}

@Suite("Examples in Which one: retries and credentials", .timeLimit(.minutes(5)))
struct RetriesAndCredentialsTests {
  @Test("a pipeline retries a 503 five times, in virtual time", arguments: [false, true])
  func pipeline(withPolicy: Bool) {
    let scheduler = TestScheduler(initialClock: 0)
    let stubs = StubTable<API>()
    let failures = Array(repeating: EndpointSampleResponse.networkResponse(503, Data()), count: 5)
    stubs.add(path: "/zen", failures + [.networkResponse(200, Data())])
    let provider = NetworkProvider<API>(stubs: stubs, scheduler: scheduler.asDelayScheduler())
    let request = withPolicy ? Examples.latest : Examples.zen
    let zen = scheduler.record(request(provider, scheduler).asObservable())
    scheduler.start()
    #expect(zen.events.compactMap(\.value.element?.statusCode) == [200])
  }
}

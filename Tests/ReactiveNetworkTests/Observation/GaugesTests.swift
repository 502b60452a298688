import Foundation
import ReactiveNetworkLock
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("rx.gauges(every:)")
struct GaugesTests {
  /// A transport whose gauges contain the number of reads.
  private final class CountingTransport: Transport, ReactiveCompatible {
    private let reads = Lock(0)

    var gauges: TransportGauges? {
      TransportGauges(
        requestsInFlight: reads.withLock { reads in
          reads += 1
          return reads
        })
    }

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      CancellableToken {}
    }
  }

  private final class PlainTransport: Transport, ReactiveCompatible {
    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      CancellableToken {}
    }
  }

  @Test("has no values if the transport has no gauges")
  func noGauges() {
    let scheduler = TestScheduler(initialClock: 0)
    let result = scheduler.start {
      PlainTransport().rx.gauges(every: .seconds(10), scheduler: scheduler)
    }
    #expect(result.events.isEmpty)
  }

  @Test("reads the gauges at once and then at each interval, until it is disposed")
  func interval() {
    let scheduler = TestScheduler(initialClock: 0)
    let transport = CountingTransport()
    let result = scheduler.start(created: 100, subscribed: 200, disposed: 235) {
      transport.rx.gauges(every: .seconds(10), scheduler: scheduler).map(\.requestsInFlight)
    }
    #expect(result.events == [.next(201, 1), .next(211, 2), .next(221, 3), .next(231, 4)])
    #expect(transport.gauges?.requestsInFlight == 5)
  }
}

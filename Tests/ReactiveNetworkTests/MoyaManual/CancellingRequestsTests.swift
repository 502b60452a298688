import Foundation
import LoopbackServer
import MoyaCompatibility
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

/// A button to tap.
private final class Button: ReactiveCompatible, Sendable {
  let taps = PublishSubject<Void>()
  func tap() { taps.onNext(()) }
}

extension Reactive where Base: Button {
  fileprivate var tap: Observable<Void> { base.taps.asObservable() }
}

@Suite("Cancelling requests", .timeLimit(.minutes(5)))
struct CancellingRequestsTests {
  private let provider = MoyaProvider<LoopbackTarget>()
  private let button = Button()

  @Test("with flatMap each tap sends a request, and all receive a response")
  func flatMap() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("found").held(until: gate) }
    let (answers, continuation) = AsyncStream.makeStream(of: Int.self)
    let subscription = button.rx.tap
      .flatMap { [provider] _ in provider.rx.request(LoopbackTarget(server, "/search")) }
      .subscribe(onNext: { continuation.yield($0.statusCode) })
    button.tap()
    button.tap()
    try await server.log(until: { $0.pending == 2 })
    gate.open()
    var count = 0
    for await _ in answers {
      count += 1
      if count == 2 { break }
    }
    #expect(server.log.abandoned.isEmpty)
    subscription.dispose()
  }

  @Test("with flatMapLatest a tap cancels the previous request")
  func flatMapLatest() async throws {
    let server = try LoopbackServer { _ in .never }
    let subscription = button.rx.tap
      .flatMapLatest { [provider] _ in provider.rx.request(LoopbackTarget(server, "/search")) }
      .subscribe()
    button.tap()
    try await server.log(until: { $0.pending == 1 })
    button.tap()
    try await server.log(until: { $0.abandoned.count == 1 && $0.pending == 1 && $0.requestCount == 2 })
    subscription.dispose()
    try await server.log(until: { $0.abandoned.count == 2 })
  }

  // RxSwift 6 has no `Variable`. A relay replaces it; the relay's first value, sent to each subscriber, is
  // not an event.
  @Test("takeUntil ends a request when its trigger sends an element")
  func takeUntil() async throws {
    let server = try LoopbackServer { _ in .never }
    let cancelEvent = BehaviorRelay(value: true)
    let notes = Log()
    let subscription = provider.rx.request(LoopbackTarget(server, "/search"))
      .takeUntil(cancelEvent.skip(1))
      .subscribe(onNext: { _ in notes.add("answer") }, onCompleted: { notes.add("completed") })
    try await server.log(until: { $0.pending == 1 })
    cancelEvent.accept(true)
    #expect(notes.all == ["completed"])
    try await server.log(until: { $0.abandoned.count == 1 })
    subscription.dispose()
  }
}

import RxLite
import RxLiteTesting
import Testing

#if canImport(Foundation)
  import Foundation
#endif

@Suite("Recorded, Subscription and the equality of events")
struct RecordedTests {
  private enum Failure: Error { case one, two }
  private enum OtherFailure: Error { case one }
  private struct DescribedError: Error, CustomStringConvertible { var description: String }

  @Test("recorded values are equal if their times and values are")
  func recorded() {
    #expect(Recorded(time: 1, value: "a") == Recorded(time: 1, value: "a"))
    #expect(Recorded(time: 1, value: "a") != Recorded(time: 2, value: "a"))
    #expect(Recorded(time: 1, value: "a") != Recorded(time: 1, value: "b"))
  }

  @Test("the helpers make recorded events")
  func helpers() {
    let events = Recorded.events(.next(1, "a"), .error(2, Failure.one), .completed(3))
    #expect(events.map(\.time) == [1, 2, 3])
    #expect(events.map(\.value) == [.next("a"), .error(Failure.one), .completed])
    #expect(Recorded.events([.next(1, "a"), .error(2, Failure.one), .completed(3)]) == events)
    #expect(Recorded.completed(3, String.self) == events[2])
    #expect(Recorded.error(2, Failure.one, String.self) == events[1])
  }

  @Test("events of optional elements compare too")
  func optionals() {
    #expect(Recorded.next(1, Int?.none) == Recorded.next(1, nil))
    #expect(Recorded.next(1, Int?.some(1)) != Recorded.next(1, nil))
  }

  @Test("events are equal if their kind and content are")
  func events() {
    let all: [Event<Int>] = [.next(1), .next(2), .error(Failure.one), .error(Failure.two), .completed]
    for (index, event) in all.enumerated() {
      #expect(all.firstIndex(of: event) == index)
    }
  }

  @Test("errors are equal if their types and descriptions are")
  func errors() {
    #expect(Event<Int>.error(Failure.one) != .error(OtherFailure.one))
    #expect(Event<Int>.error(DescribedError(description: "a")) == .error(DescribedError(description: "a")))
    #expect(Event<Int>.error(DescribedError(description: "a")) != .error(DescribedError(description: "b")))
    #expect(Event<Int>.error(NSError(domain: "d", code: 1)) == .error(NSError(domain: "d", code: 1)))
    #expect(Event<Int>.error(NSError(domain: "d", code: 1)) != .error(NSError(domain: "d", code: 2)))
  }

  @Test("results, which are the events of a Single, compare like events")
  func results() {
    typealias SingleEvent = Result<Int, any Error>
    let one = SingleEvent.success(1)
    #expect(one == SingleEvent.success(1))
    #expect(!(one == SingleEvent.success(2)))
    #expect(SingleEvent.failure(Failure.one) == SingleEvent.failure(Failure.one))
    #expect(!(SingleEvent.failure(Failure.one) == SingleEvent.failure(Failure.two)))
    #expect(!(one == SingleEvent.failure(Failure.one)))
  }

  @Test("the events of the other traits are equal if their kind and content are")
  func traitEvents() {
    let maybe: [MaybeEvent<Int>] = [
      .success(1), .success(2), .error(Failure.one), .error(Failure.two), .completed,
    ]
    #expect(maybe.map { maybe.firstIndex(of: $0) } == [0, 1, 2, 3, 4])
    let completable: [CompletableEvent] = [.error(Failure.one), .error(Failure.two), .completed]
    #expect(completable.map { completable.firstIndex(of: $0) } == [0, 1, 2])
    let infallible: [InfallibleEvent<Int>] = [.next(1), .next(2), .completed]
    #expect(infallible.map { infallible.firstIndex(of: $0) } == [0, 1, 2])
  }

  @Test("a mismatch has a readable description")
  func descriptions() {
    let next: Recorded<Event<Int>> = .next(210, 1)
    #expect("\(next)" == "next(1) @ 210")
    #expect("\(Subscription(200, 250))" == "(200 : 250)")
    #expect("\(Subscription(200))" == "(200 : Infinity)")
  }

  @Test("subscriptions are equal if both times are")
  func subscriptions() {
    #expect(Subscription(200) == Subscription(200, .max))
    #expect(Set([Subscription(200, 250), Subscription(200, 250), Subscription(200)]).count == 2)
    #expect((Subscription(200, 250).subscribe, Subscription(200, 250).unsubscribe) == (200, 250))
  }
}

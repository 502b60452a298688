import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("Infallible.bind", .timeLimit(.minutes(5)))
struct InfallibleBindTests {
  private final class Target { var values: [Int] = [] }

  private let source = Infallible.of(1, 2)

  @Test("observers receive every event, also those of the optional type")
  func observers() {
    let (recorder, other, optional) = (
      RecordingObserver<Int>(), RecordingObserver<Int>(), RecordingObserver<Int?>()
    )
    _ = source.bind(to: recorder, other)
    _ = source.bind(to: optional)
    #expect(recorder.events == [.next(1), .next(2), .completed])
    #expect(other.events == [.next(1), .next(2), .completed])
    #expect(optional.events == [.next(1), .next(2), .completed])
  }

  @Test("several observers of the optional type receive every event")
  func severalOptionalObservers() {
    let recorders = (0..<2).map { _ in RecordingObserver<Int?>() }
    _ = source.bind(to: recorders[0], recorders[1])
    for recorder in recorders { #expect(recorder.events == [.next(1), .next(2), .completed]) }
  }

  @Test("relays receive each element, and do not end")
  func relays() {
    let (behavior, publish, replay) = (
      BehaviorRelay(value: 0), PublishRelay<Int>(), ReplayRelay<Int>.createUnbound()
    )
    let (optionalBehavior, optionalPublish, optionalReplay) = (
      BehaviorRelay<Int?>(value: nil), PublishRelay<Int?>(), ReplayRelay<Int?>.createUnbound()
    )
    let (published, optionallyPublished, replayed, optionallyReplayed) = (
      RecordingObserver<Int>(), RecordingObserver<Int?>(), RecordingObserver<Int>(), RecordingObserver<Int?>()
    )
    _ = publish.subscribe(published)
    _ = optionalPublish.subscribe(optionallyPublished)
    _ = source.bind(to: behavior)
    _ = source.bind(to: optionalBehavior)
    _ = source.bind(to: publish)
    _ = source.bind(to: optionalPublish)
    _ = source.bind(to: replay)
    _ = source.bind(to: optionalReplay)
    _ = replay.subscribe(replayed)
    _ = optionalReplay.subscribe(optionallyReplayed)
    #expect(behavior.value == 2)
    #expect(optionalBehavior.value == 2)
    #expect(published.events == [.next(1), .next(2)])
    #expect(optionallyPublished.events == [.next(1), .next(2)])
    #expect(replayed.events == [.next(1), .next(2)])
    #expect(optionallyReplayed.events == [.next(1), .next(2)])
  }

  @Test("closures receive the elements, with or without an object")
  func closures() {
    var values: [Int] = []
    _ = source.bind(onNext: { values.append($0) })
    #expect(values == [1, 2])
    let target = Target()
    _ = source.bind(with: target) { $0.values.append($1) }
    #expect(target.values == [1, 2])
  }

  @Test("the object of a closure is not kept alive, and the closure is not called after its release")
  func objectIsNotKept() {
    let (log, liveCount, relay) = (Log(), TrackedObject.LiveCount(), PublishRelay<Int>())
    do {
      let tracked = TrackedObject(7, in: liveCount)
      _ = relay.asInfallible().bind(with: tracked) { log.add("\($0.value) \($1)") }
      relay.accept(1)
      withExtendedLifetime(tracked) {}
    }
    #expect(liveCount.value == 0)
    relay.accept(2)
    #expect(log.lines == ["7 1"])
  }

  @Test("functions receive the infallible itself")
  func functions() throws {
    let doubled = source.bind(to: { (source: Infallible<Int>) in source.map { $0 * 2 } })
    #expect(try doubled.toBlocking().toArray() == [2, 4])
    let scaled = source.bind(
      to: { source in { factor in source.map { $0 * factor } } }, curriedArgument: 3)
    #expect(try scaled.toBlocking().toArray() == [3, 6])
  }

  @Test("several relays receive each element")
  func severalRelays() {
    let publish = (0..<2).map { _ in (PublishRelay<Int>(), PublishRelay<Int?>()) }
    let behavior = (0..<2).map { _ in (BehaviorRelay(value: 0), BehaviorRelay<Int?>(value: nil)) }
    let replay = (0..<2).map { _ in (ReplayRelay<Int>.createUnbound(), ReplayRelay<Int?>.createUnbound()) }
    let (recorders, optionals) = (
      (0..<4).map { _ in RecordingObserver<Int>() }, (0..<4).map { _ in RecordingObserver<Int?>() }
    )
    for index in 0..<2 {
      _ = publish[index].0.subscribe(recorders[index])
      _ = publish[index].1.subscribe(optionals[index])
      _ = replay[index].0.subscribe(recorders[2 + index])
      _ = replay[index].1.subscribe(optionals[2 + index])
    }
    _ = source.bind(to: publish[0].0, publish[1].0)
    _ = source.bind(to: publish[0].1, publish[1].1)
    _ = source.bind(to: behavior[0].0, behavior[1].0)
    _ = source.bind(to: behavior[0].1, behavior[1].1)
    _ = source.bind(to: replay[0].0, replay[1].0)
    _ = source.bind(to: replay[0].1, replay[1].1)
    #expect(recorders.map(\.elements) == Array(repeating: [1, 2], count: 4))
    #expect(optionals.map(\.elements) == Array(repeating: [1, 2], count: 4))
    #expect(behavior.map(\.0.value) == [2, 2])
    #expect(behavior.map(\.1.value) == [2, 2])
  }
}

import RxLite
import Testing

@Suite("Infallible.bind")
struct InfallibleBindTests {
  private final class Target { var values: [Int] = [] }

  private let source = Infallible.of(1, 2)

  @Test("observers get every event, also those of the optional type")
  func observers() {
    let (probe, other, optional) = (Probe<Int>(), Probe<Int>(), Probe<Int?>())
    _ = source.bind(to: probe, other)
    _ = source.bind(to: optional)
    #expect(probe.events == [.next(1), .next(2), .completed])
    #expect(other.events == [.next(1), .next(2), .completed])
    #expect(optional.events == [.next(1), .next(2), .completed])
  }

  @Test("relays accept each element, and do not end")
  func relays() {
    let (behavior, publish, replay) = (
      BehaviorRelay(value: 0), PublishRelay<Int>(), ReplayRelay<Int>.createUnbound()
    )
    let (optionalBehavior, optionalPublish, optionalReplay) = (
      BehaviorRelay<Int?>(value: nil), PublishRelay<Int?>(), ReplayRelay<Int?>.createUnbound()
    )
    let (published, optionallyPublished, replayed, optionallyReplayed) = (
      Probe<Int>(), Probe<Int?>(), Probe<Int>(), Probe<Int?>()
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

  @Test("closures get the elements, with an object or without")
  func closures() {
    var values: [Int] = []
    _ = source.bind(onNext: { values.append($0) })
    #expect(values == [1, 2])
    let target = Target()
    _ = source.bind(with: target) { $0.values.append($1) }
    #expect(target.values == [1, 2])
  }

  @Test("functions get the infallible itself")
  func functions() throws {
    let doubled = source.bind(to: { (source: Infallible<Int>) in source.map { $0 * 2 } })
    #expect(try doubled.toBlocking().toArray() == [2, 4])
    let scaled = source.bind(
      to: { source in { factor in source.map { $0 * factor } } }, curriedArgument: 3)
    #expect(try scaled.toBlocking().toArray() == [3, 6])
  }
}

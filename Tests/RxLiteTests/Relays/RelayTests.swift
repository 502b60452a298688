import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("Relays")
struct RelayTests {
  private let recorder = RecordingObserver<Int>()

  @Test("a PublishRelay sends elements to its current observers")
  func publish() {
    let relay = PublishRelay<Int>()
    relay.accept(1)
    let subscription = relay.subscribe(recorder)
    relay.accept(2)
    subscription.dispose()
    relay.accept(3)
    #expect(recorder.events == [.next(2)])
  }

  @Test("a BehaviorRelay has a value")
  func behavior() {
    let relay = BehaviorRelay(value: 1)
    _ = relay.asObservable().subscribe(recorder)
    relay.accept(2)
    #expect(relay.value == 2)
    #expect(recorder.events == [.next(1), .next(2)])
  }

  @Test("a ReplayRelay replays elements", arguments: [false, true])
  func replay(isUnbound: Bool) {
    let relay = isUnbound ? ReplayRelay<Int>.createUnbound() : .create(bufferSize: 1)
    for element in 1...3 { relay.accept(element) }
    _ = relay.subscribe(recorder)
    relay.accept(4)
    #expect(recorder.elements == (isUnbound ? [1, 2, 3, 4] : [3, 4]))
  }

  @Test("a released relay sends no stop event and releases its observers")
  func lifetime() {
    let liveCount = TrackedObject.LiveCount()
    do {
      let relay = BehaviorRelay(value: TrackedObject(in: liveCount))
      let tracked = TrackedObject(in: liveCount)
      let recorder = recorder
      _ = relay.subscribe { event in recorder.on(event.map { _ in tracked.value }) }
    }
    #expect(recorder.events == [.next(0)])
    #expect(liveCount.value == 0)
  }

  @Test("elements are bound to relays of the type or its optional; completion is not")
  func bind() {
    let publish = (PublishRelay<Int>(), PublishRelay<Int?>())
    let behavior = (BehaviorRelay(value: 0), BehaviorRelay<Int?>(value: nil))
    let replay = (ReplayRelay<Int>.create(bufferSize: 1), ReplayRelay<Int?>.create(bufferSize: 1))
    let optionals = RecordingObserver<Int?>()
    _ = publish.0.subscribe(recorder)
    _ = publish.1.subscribe(optionals)
    let source = Observable.of(1, 2)
    _ = source.bind(to: publish.0)
    _ = source.bind(to: publish.1)
    _ = source.bind(to: behavior.0)
    _ = source.bind(to: behavior.1)
    _ = source.bind(to: replay.0)
    _ = source.bind(to: replay.1)
    _ = replay.0.subscribe(recorder)
    _ = replay.1.subscribe(optionals)
    #expect(behavior.0.value == 2)
    #expect(behavior.1.value == 2)
    #expect(recorder.events == [.next(1), .next(2), .next(2)])
    #expect(optionals.events == [.next(1), .next(2), .next(2)])
  }

  @Test("an error of a bound sequence goes to the hook", .timeLimit(.minutes(5)))
  func boundError() async {
    await #expect(processExitsWith: .success) {
      let log = Log()
      Hooks.defaultErrorHandler = { _, error in log.add("\(error)") }
      let failing = Observable<Int>.error(TestError.one)
      _ = failing.bind(to: PublishRelay<Int>())
      _ = failing.bind(to: PublishRelay<Int?>())
      #expect(log.lines == ["one", "one"])
    }
  }

  @Test("several relays receive each element")
  func bindSeveral() {
    let publish = (0..<2).map { _ in (PublishRelay<Int>(), PublishRelay<Int?>()) }
    let behavior = (0..<2).map { _ in (BehaviorRelay(value: 0), BehaviorRelay<Int?>(value: nil)) }
    let replay = (0..<2).map { _ in
      (ReplayRelay<Int>.create(bufferSize: 2), ReplayRelay<Int?>.create(bufferSize: 2))
    }
    let (recorders, optionals) = (
      (0..<4).map { _ in RecordingObserver<Int>() }, (0..<4).map { _ in RecordingObserver<Int?>() }
    )
    for index in 0..<2 {
      _ = publish[index].0.subscribe(recorders[index])
      _ = publish[index].1.subscribe(optionals[index])
      _ = replay[index].0.subscribe(recorders[2 + index])
      _ = replay[index].1.subscribe(optionals[2 + index])
    }
    let source = Observable.of(1, 2)
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

import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

/// Releasing an element may run any code, so no lock may be held meanwhile.
@Suite("Code that runs when elements are released")
struct ElementReleaseTests {
  /// An element whose deinitializer runs a closure.
  private final class DeinitAction {
    private let whenReleased: () -> Void

    init(whenReleased: @escaping () -> Void = {}) {
      self.whenReleased = whenReleased
    }

    deinit { whenReleased() }
  }

  @Test("an element that is released after the stop event may send another from its deinitializer")
  func afterStopEvent() {
    let (first, second, third) = (
      PublishSubject<DeinitAction>(), PublishSubject<DeinitAction>(), PublishSubject<DeinitAction>()
    )
    var released = 0
    var events = 0
    let subscription = Observable.zip(first, second, third) { first, _, _ in first }.subscribe(
      onNext: { _ in events += 1 },
      onError: { _ in
        // The combination is still subscribed; its result for this element is not delivered.
        first.onNext(
          DeinitAction {
            released += 1
            first.onNext(DeinitAction())
          })
        second.onNext(DeinitAction())
      })
    third.onNext(DeinitAction())
    third.onError(TestError.one)
    #expect(released == 1)
    #expect(events == 0)
    subscription.dispose()
  }

  enum ReplacingOperator: CaseIterable, Sendable {
    case sample, throttle, withLatestFrom, combineLatest, asyncSubject
  }

  @Test(
    "an element that a newer one replaces may make the operator send from its deinitializer",
    arguments: ReplacingOperator.allCases)
  func replaced(row: ReplacingOperator) {
    let (first, second) = (PublishSubject<DeinitAction>(), PublishSubject<DeinitAction>())
    let (last, scheduler) = (AsyncSubject<DeinitAction>(), TestScheduler(initialClock: 0))
    let sequence: Observable<DeinitAction> =
      switch row {
      case .sample: first.sample(second)
      case .throttle: first.throttle(.seconds(5), scheduler: scheduler)
      case .withLatestFrom: second.withLatestFrom(first)
      case .combineLatest: Observable.combineLatest(first, second) { element, _ in element }
      case .asyncSubject: last
      }
    var events = 0
    let subscription = sequence.subscribe(onNext: { _ in events += 1 })
    func send(_ element: DeinitAction) {
      if row == .asyncSubject { last.onNext(element) } else { first.onNext(element) }
    }
    // `throttle` forwards the first element at once and holds the next one.
    if row == .throttle { send(DeinitAction()) }
    var released = 0
    send(
      DeinitAction {
        released += 1
        switch row {
        case .sample, .withLatestFrom, .combineLatest: second.onNext(DeinitAction())
        case .throttle: scheduler.advanceTo(10)
        case .asyncSubject: last.onNext(DeinitAction())
        }
      })
    send(DeinitAction())
    last.onCompleted()
    #expect(released == 1)
    #expect(events == (row == .throttle ? 2 : 1))
    subscription.dispose()
  }

  @Test("an element that an error drops may let time pass in its deinitializer", arguments: [false, true])
  func dropped(isDelay: Bool) {
    let (feed, scheduler) = (SingleObserverSource<DeinitAction>(), TestScheduler(initialClock: 0))
    let sequence =
      isDelay
      ? feed.observable.delay(.seconds(5), scheduler: scheduler)
      : feed.observable.debounce(.seconds(5), scheduler: scheduler)
    let log = Log()
    let subscription = sequence.subscribe(
      onNext: { _ in log.add("next") }, onError: { log.add("\($0)") })
    feed.send(
      .next(
        DeinitAction {
          log.add("released")
          // The timer of the element is due.
          scheduler.advanceTo(10)
        }))
    feed.send(.error(TestError.one))
    #expect(log.lines == ["one", "released"])
    subscription.dispose()
  }
}

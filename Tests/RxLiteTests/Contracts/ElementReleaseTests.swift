import RxLite
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
}

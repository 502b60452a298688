import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("generate and repeatElement")
struct GenerateTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("states are sent while they satisfy the condition")
  func generates() {
    let observer = scheduler.start {
      Observable.generate(initialState: 0, condition: { $0 <= 3 }, scheduler: scheduler) { $0 + 1 }
    }
    #expect(observer.events == [.next(201, 0), .next(202, 1), .next(203, 2), .next(204, 3), .completed(205)])
  }

  @Test("an error that the condition throws ends it")
  func conditionThrows() {
    let observer = scheduler.start {
      Observable.generate(initialState: 0, condition: { _ in throw TestError.one }, scheduler: scheduler) {
        $0 + 1
      }
    }
    #expect(observer.events == [.error(201, TestError.one)])
  }

  @Test("an error that the iteration throws ends it")
  func iterationThrows() {
    let observer = scheduler.start {
      Observable.generate(initialState: 0, condition: { _ in true }, scheduler: scheduler) { _ in
        throw TestError.one
      }
    }
    #expect(observer.events == [.next(201, 0), .error(202, TestError.one)])
  }

  @Test("disposal ends it", arguments: [false, true])
  func disposed(isRepeating: Bool) {
    let observer = scheduler.start(disposed: 203) {
      isRepeating
        ? Observable.repeatElement(0, scheduler: scheduler)
        : .generate(initialState: 0, condition: { _ in true }, scheduler: scheduler) { $0 }
    }
    #expect(observer.events == [.next(201, 0), .next(202, 0)])
  }

  @Test("many rounds on the current thread do not grow the stack", arguments: [false, true])
  func depth(isRepeating: Bool) {
    var count = 0
    let source: Observable<Int> =
      isRepeating ? .repeatElement(0) : .generate(initialState: 0, condition: { _ in true }) { $0 + 1 }
    onSmallStack { _ = source.take(manyRounds).subscribe(onNext: { _ in count += 1 }) }
    #expect(count == manyRounds)
  }

  /// Runs actions at once, a thousand times at most.
  private final class LimitedImmediateScheduler: ImmediateSchedulerType {
    private var rest = 1_000

    func schedule<StateType>(
      _ state: StateType, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
      rest -= 1
      return rest < 0 ? Disposables.create() : action(state)
    }
  }

  @Test(
    "on a scheduler that runs everything at once, an ended sequence makes no further rounds",
    arguments: [false, true])
  func endsAtOnce(isRepeating: Bool) {
    let scheduler = LimitedImmediateScheduler()
    var rounds = 0
    let endless =
      isRepeating
      ? Observable.repeatElement(0, scheduler: scheduler)
      : .generate(initialState: 0, condition: { _ in true }, scheduler: scheduler) { $0 }
    let events = RecordingObserver<Int>()
    _ = endless.do(onNext: { _ in rounds += 1 }).take(2).subscribe(events)
    #expect(events.events == [.next(0), .next(0), .completed])
    #expect(rounds == 2)
  }
}

import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("flatMap")
struct FlatMapTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("inner sequences run concurrently, and the last to complete completes it")
  func interleaves() {
    let outer = scheduler.hot(.next(210, 0), .next(220, 1), .completed(300))
    let inner = [
      scheduler.cold(.next(10, 1), .next(50, 2), .completed(60)),
      scheduler.cold(.next(10, 3), .next(100, 4), .completed(120)),
    ]
    let observer = scheduler.start { outer.flatMap { inner[$0] } }
    #expect(
      observer.events == [.next(220, 1), .next(230, 3), .next(260, 2), .next(320, 4), .completed(340)])
    #expect(outer.subscriptions == [Subscription(200, 300)])
    #expect(inner[0].subscriptions == [Subscription(210, 270)])
    #expect(inner[1].subscriptions == [Subscription(220, 340)])
  }

  @Test("it completes with the outer sequence if that completes last")
  func outerEndsLast() {
    let outer = scheduler.hot(.next(210, 0), .completed(300))
    let inner = scheduler.cold(.next(10, 1), .completed(20))
    #expect(scheduler.start { outer.flatMap { _ in inner } }.events == [.next(220, 1), .completed(300)])
    #expect(inner.subscriptions == [Subscription(210, 230)])
  }

  @Test("the second stop event of a custom inner sequence ends no other inner sequence")
  func twoStopEvents() {
    struct CompletedTwice: ObservableType {
      typealias Element = Int

      func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
      where Observer.Element == Int {
        observer.onCompleted()
        observer.onCompleted()
        return Disposables.create()
      }
    }
    struct ImmediateScheduler: ImmediateSchedulerType {
      func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
        action(state)
      }
    }
    let outer = scheduler.hot(.next(210, 0), .next(220, 1), .completed(230))
    let inner = scheduler.cold(.next(50, 1), .completed(60))
    let observer = scheduler.start {
      outer.flatMap { $0 == 0 ? inner.asObservable() : CompletedTwice().subscribe(on: ImmediateScheduler()) }
    }
    #expect(observer.events == [.next(260, 1), .completed(270)])
  }

  @Test("an inner error ends all")
  func innerError() {
    let outer = scheduler.hot(.next(210, 0), .next(220, 1), .completed(600))
    let inner = [
      scheduler.cold(.next(10, 1), .completed(500)), scheduler.cold(.next(10, 2), .error(30, TestError.one)),
    ]
    let observer = scheduler.start { outer.flatMap { inner[$0] } }
    #expect(observer.events == [.next(220, 1), .next(230, 2), .error(250, TestError.one)])
    #expect(outer.subscriptions == [Subscription(200, 250)])
    #expect(inner[0].subscriptions == [Subscription(210, 250)])
    #expect(inner[1].subscriptions == [Subscription(220, 250)])
  }

  @Test("an outer error ends all")
  func outerError() {
    let outer = scheduler.hot(.next(210, 0), .error(240, TestError.one))
    let inner = scheduler.cold(.next(10, 1), .next(50, 2), .completed(60))
    let observer = scheduler.start { outer.flatMap { _ in inner } }
    #expect(observer.events == [.next(220, 1), .error(240, TestError.one)])
    #expect(inner.subscriptions == [Subscription(210, 240)])
  }

  @Test("disposal disposes the outer and all inner sequences")
  func disposed() {
    let outer = scheduler.hot(.next(210, 0), .next(220, 1), .completed(300))
    let inner = [scheduler.cold(.next(10, 1)), scheduler.cold(.next(10, 2))]
    let observer = scheduler.start(disposed: 225) { outer.flatMap { inner[$0] } }
    #expect(observer.events == [.next(220, 1)])
    #expect(outer.subscriptions == [Subscription(200, 225)])
    #expect(inner[0].subscriptions == [Subscription(210, 225)])
    #expect(inner[1].subscriptions == [Subscription(220, 225)])
  }

  @Test("an inner single counts as a sequence of one element")
  func single() {
    let recorder = RecordingObserver<Int>()
    _ = Observable.of(1, 2).flatMap { Single.just($0 * 10) }.subscribe(recorder)
    #expect(recorder.events == [.next(10), .next(20), .completed])
  }

  @Test("an inner sequence that disposes from inside an element delivers nothing more")
  func disposedByInner() {
    let recorder = RecordingObserver<Int>()
    let subscription = SingleAssignmentDisposable()
    let inner = Observable<Int>.create { observer in
      observer.onNext(1)
      subscription.dispose()
      observer.onNext(2)
      observer.onCompleted()
      return Disposables.create()
    }
    let outer = PublishSubject<Void>()
    subscription.setDisposable(outer.flatMap { inner }.subscribe(recorder))
    outer.onNext(())
    #expect(recorder.events == [.next(1)])
  }

  @Test("disposal disposes the running inner sequences in the order in which they began")
  func disposalOrder() {
    let log = Log()
    let outer = PublishSubject<Int>()
    let inner = (0..<5).map { _ in PublishSubject<Int>() }
    let subscription = outer.flatMap { index in inner[index].do(onDispose: { log.add("\(index)") }) }
      .subscribe()
    for index in inner.indices { outer.onNext(index) }
    inner[0].onCompleted()
    inner[2].onCompleted()
    #expect(log.lines == ["0", "2"])
    subscription.dispose()
    #expect(log.lines == ["0", "2", "1", "3", "4"])
    #expect(inner.allSatisfy { !$0.hasObservers })
  }
}

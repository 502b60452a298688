import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("create")
struct CreateTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("nothing is delivered after the stop event")
  func grammar() {
    let observer = scheduler.start {
      Observable<Int>.create { observer in
        observer.onNext(1)
        observer.onCompleted()
        observer.onNext(2)
        observer.onError(TestError.one)
        observer.onCompleted()
        return Disposables.create()
      }
    }
    #expect(observer.events == [.next(200, 1), .completed(200)])
  }

  enum End: CaseIterable, Sendable { case completed, error, disposed }

  @Test(
    "the disposable that the closure returns is disposed once, at the end", arguments: End.allCases,
    [false, true])
  func disposes(end: End, isSynchronous: Bool) {
    var disposals: [TestTime] = []
    func stop(_ observer: AnyObserver<Int>) {
      switch end {
      case .completed: observer.onCompleted()
      case .error: observer.onError(TestError.one)
      case .disposed: break
      }
    }
    _ = scheduler.start(disposed: 300) {
      Observable<Int>.create { observer in
        if isSynchronous {
          stop(observer)
        } else {
          self.scheduler.scheduleAt(250) { stop(observer) }
        }
        return Disposables.create(with: { disposals.append(self.scheduler.clock) })
      }
    }
    #expect(disposals == [end == .disposed ? 300 : isSynchronous ? 200 : 250])
  }

  @Test("the returned disposable does not wait for an operator that holds back the stop event")
  func heldBack() {
    var disposals: [TestTime] = []
    let observer = scheduler.start {
      Observable<Int>.create { observer in
        self.scheduler.scheduleAt(250) { observer.onCompleted() }
        return Disposables.create(with: { disposals.append(self.scheduler.clock) })
      }
      .observe(on: self.scheduler)
    }
    #expect(observer.events == [.completed(251)])
    #expect(disposals == [250])
  }

  @Test("nothing is delivered after disposal")
  func afterDisposal() {
    let observer = scheduler.start(disposed: 225) {
      Observable<Int>.create { observer in
        for time in [210, 220, 230] { self.scheduler.scheduleAt(time) { observer.onNext(time) } }
        return Disposables.create()
      }
    }
    #expect(observer.events == [.next(210, 210), .next(220, 220)])
  }

  @Test("the closure runs for each subscription")
  func runsAnew() {
    var runs = 0
    let sequence = Observable<Int>.create { observer in
      runs += 1
      observer.onNext(runs)
      observer.onCompleted()
      return Disposables.create()
    }
    let recorder = RecordingObserver<Int>()
    _ = sequence.concat(sequence).subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(2), .completed])
  }

  @Test("an event that is sent during the delivery of another is delivered after it")
  func reentrant() {
    let recorder = RecordingObserver<Int>()
    var entrance: AnyObserver<Int>?
    let subscription = Observable<Int>.create { observer in
      entrance = observer
      return Disposables.create()
    }.subscribe { event in
      if event.element == 1 {
        entrance?.onNext(2)
        entrance?.onCompleted()
      }
      recorder.on(event)
    }
    entrance?.onNext(1)
    subscription.dispose()
    #expect(recorder.events == [.next(1), .next(2), .completed])
  }

  @Test("an event that is sent from inside a delivery, after the stop event, is ignored")
  func reentrantAfterTheEnd() {
    let recorder = RecordingObserver<Int>()
    var entrance: AnyObserver<Int>?
    let source = Observable<Int>.create { observer in
      entrance = observer
      return Disposables.create()
    }
    // The subscription continues after the end, so a late element would be received.
    let subscription = source.concat(Observable<Int>.never()).subscribe { event in
      recorder.on(event)
      guard event.element == 1 else { return }
      entrance?.onCompleted()
      entrance?.onNext(2)
    }
    entrance?.onNext(1)
    subscription.dispose()
    #expect(recorder.events == [.next(1)])
    // Breaks the cycle through the subscriber's closure.
    entrance = nil
  }

  @Test("operators receive nothing that is sent after disposal")
  func operatorsAfterDisposal() {
    var heard: [Int] = []
    var entrance: AnyObserver<Int>?
    let source = Observable<Int>.create { observer in
      entrance = observer
      return Disposables.create()
    }
    let subscription = source.map { heard.append($0) }.subscribe()
    entrance?.onNext(1)
    subscription.dispose()
    entrance?.onNext(2)
    #expect(heard == [1])
  }
}

import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("subscribe")
struct SubscribeTests {
  private let log = Log()

  /// Subscribes closures that log their arguments.
  private func subscribe(_ source: Observable<Int>) -> any Disposable {
    source.subscribe(
      onNext: { [log] in log.add("next \($0)") }, onError: { [log] in log.add("error \($0)") },
      onCompleted: { [log] in log.add("completed") }, onDisposed: { [log] in log.add("disposed") })
  }

  private func logged(_ source: Observable<Int>) -> Observable<Int> {
    source.do(onDispose: { [log] in log.add("source disposed") })
  }

  @Test("each event calls its closure, and onDisposed follows the stop event, once")
  func closures() {
    subscribe(.of(1, 2)).dispose()
    subscribe(.error(TestError.one)).dispose()
    #expect(log.lines == ["next 1", "next 2", "completed", "disposed", "error one", "disposed"])
  }

  @Test("onDisposed is called before the source is disposed if the source ends")
  func endOrder() {
    let subject = PublishSubject<Int>()
    let subscription = subscribe(logged(subject))
    subject.onCompleted()
    subscription.dispose()
    #expect(log.lines == ["completed", "disposed", "source disposed"])
  }

  @Test("onDisposed is called once, after the source is disposed, if the subscriber disposes")
  func disposalOrder() {
    let subscription = subscribe(logged(.never()))
    subscription.dispose()
    subscription.dispose()
    #expect(log.lines == ["source disposed", "disposed"])
  }

  enum Subscriber: CaseIterable {
    case closures, observer, closuresOfSingle
  }

  @Test("a disposal during the stop event disposes the source at once", arguments: Subscriber.allCases)
  func disposedAtTheEnd(subscriber: Subscriber) {
    let subject = PublishSubject<Int>()
    let (source, subscription) = (logged(subject), SerialDisposable())
    let handle = { @Sendable [log] in
      subscription.dispose()
      log.add("handled")
    }
    subscription.disposable =
      switch subscriber {
      case .closures: source.subscribe(onError: { _ in handle() })
      case .observer: source.subscribe(AnyObserver { if $0.isStopEvent { handle() } })
      case .closuresOfSingle: source.asSingle().subscribe(onFailure: { _ in handle() })
      }
    subject.onError(TestError.one)
    #expect(log.lines == ["source disposed", "handled"])
  }

  @Test("closures that another observer disposes during a delivery are not called any more")
  func disposedByAnother() {
    let subject = PublishSubject<Int>()
    let victims = CompositeDisposable()
    _ = subject.subscribe(onNext: { _ in victims.dispose() })
    _ = victims.insert(subscribe(subject))
    _ = victims.insert(
      subject.take(1).asSingle().subscribe(onSuccess: { [log] in log.add("success \($0)") }))
    subject.onNext(1)
    subject.onCompleted()
    #expect(log.lines == ["disposed"])
  }

  @Test(
    "an observer that another one disposes during a stop event does not receive it", arguments: [false, true])
  func disposedByAnotherAtTheEnd(fails: Bool) {
    let subject = PublishSubject<Int>()
    let victims = CompositeDisposable()
    let recorder = RecordingObserver<Int>()
    _ = subject.subscribe(onError: { _ in victims.dispose() }, onCompleted: { victims.dispose() })
    _ = victims.insert(subscribe(subject))
    _ = victims.insert(subject.subscribe(recorder))
    subject.on(fails ? .error(TestError.one) : .completed)
    #expect(log.lines == ["disposed"])
    #expect(recorder.events == [])
  }

  @Test("each closure with an object is called while the object is alive, and none retains it")
  func allClosuresWithObject() {
    let (liveCount, subject) = (TrackedObject.LiveCount(), PublishSubject<Int>())
    func observe(_ source: Observable<Int>, with object: TrackedObject) -> any Disposable {
      source.subscribe(
        with: object, onNext: { [log] in log.add("next \($0.value) \($1)") },
        onError: { [log] in log.add("error \($0.value) \($1)") },
        onCompleted: { [log] in log.add("completed \($0.value)") },
        onDisposed: { [log] in log.add("disposed \($0.value)") })
    }
    let subscription: any Disposable
    do {
      let object = TrackedObject(7, in: liveCount)
      _ = observe(.just(1), with: object)
      _ = observe(.error(TestError.one), with: object)
      subscription = observe(subject, with: object)
    }
    let expected = ["next 7 1", "completed 7", "disposed 7", "error 7 one", "disposed 7"]
    #expect(log.lines == expected)
    #expect(subject.hasObservers)
    #expect(liveCount.value == 0)
    subject.onCompleted()
    subscription.dispose()
    #expect(log.lines == expected)
  }

  @Test("closures with an object are not called after it is released, and a later error is dropped")
  func object() {
    let subject = PublishSubject<Int>()
    var object: TrackedObject? = TrackedObject(7, in: TrackedObject.LiveCount())
    if let object {
      _ = subject.subscribe(
        with: object, onNext: { [log] in log.add("next \($0.value) \($1)") },
        onError: { [log] in log.add("error \($0.value) \($1)") },
        onDisposed: { [log] in log.add("disposed \($0.value)") })
    }
    subject.onNext(1)
    object = nil
    subject.onNext(2)
    subject.onError(TestError.one)
    #expect(log.lines == ["next 7 1"])
  }
}

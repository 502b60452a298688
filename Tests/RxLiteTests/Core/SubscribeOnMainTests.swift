import Dispatch
import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("subscribe(onMain:)", .timeLimit(.minutes(5)))
struct SubscribeOnMainTests {
  private let log = Log()
  private let source = PublishSubject<Int>()

  @Test("events on the main queue are delivered at once, and the disposal after the completion")
  @MainActor func atOnce() {
    let log = log
    _ = Observable.of(1, 2).subscribe(
      onMain: { log.add("\($0)") }, onCompleted: { log.add("completed") },
      onDisposed: { log.add("disposed") })
    log.add("after")
    #expect(log.lines == ["1", "2", "completed", "disposed", "after"])
  }

  @Test("events of another thread are delivered on the main queue, in order")
  func order() {
    let (log, source, semaphore) = (log, source, TestSemaphore())
    _ = source.subscribe(
      onMain: { log.add("\($0) \(DispatchQueue.main.isCurrent)") }, onCompleted: { semaphore.signal() })
    onThreads(1) { _ in
      for element in 0..<1_000 { source.onNext(element) }
      source.onCompleted()
    }
    #expect(semaphore.wait())
    #expect(log.lines == (0..<1_000).map { "\($0) true" })
  }

  @Test("bind delivers elements of another thread on the main queue, with and without an object")
  func bind() {
    let (log, source, semaphore) = (log, source, TestSemaphore())
    let tracked = TrackedObject(7, in: TrackedObject.LiveCount())
    let first = source.bind(onMain: {
      log.add("\($0) \(DispatchQueue.main.isCurrent)")
      semaphore.signal()
    })
    let second = source.bind(
      with: tracked,
      onMain: {
        log.add("\($0.value) \($1) \(DispatchQueue.main.isCurrent)")
        semaphore.signal()
      })
    onThreads(1) { _ in source.onNext(1) }
    #expect(semaphore.wait())
    #expect(semaphore.wait())
    #expect(log.lines == ["1 true", "7 1 true"])
    first.dispose()
    second.dispose()
    withExtendedLifetime(tracked) {}
  }

  @Test("an event on the main queue waits for an earlier event of another thread")
  @MainActor func waitsForEarlier() async {
    let (log, source) = (log, source)
    await withCheckedContinuation { continuation in
      _ = source.subscribe(onMain: {
        log.add("\($0)")
        if $0 == 2 { continuation.resume() }
      })
      onThreads(1) { _ in source.onNext(1) }
      source.onNext(2)
      log.add("after")
    }
    #expect(log.lines == ["after", "1", "2"])
  }

  @Test("a dispose on the main actor drops the pending events")
  @MainActor func disposed() async {
    let (log, source) = (log, source)
    let subscription = source.subscribe(onMain: { log.add("\($0)") }, onDisposed: { log.add("disposed") })
    onThreads(1) { _ in source.onNext(1) }
    subscription.dispose()
    #expect(log.lines == ["disposed"])
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    #expect(log.lines == ["disposed"])
  }

  @Test("a dispose on another thread is reported on the main queue")
  func disposedElsewhere() {
    let (log, semaphore) = (log, TestSemaphore())
    let subscription = source.subscribe(
      onMain: { _ in },
      onDisposed: {
        log.add("disposed \(DispatchQueue.main.isCurrent)")
        semaphore.signal()
      })
    onThreads(1) { _ in subscription.dispose() }
    #expect(semaphore.wait())
    #expect(log.lines == ["disposed true"])
  }

  @Test("a dispose of a completable on another thread is reported on the main queue, too")
  func completableDisposedElsewhere() {
    let (log, semaphore) = (log, TestSemaphore())
    let subscription = Completable.never().subscribe(
      onMain: {},
      onDisposed: {
        log.add("disposed \(DispatchQueue.main.isCurrent)")
        semaphore.signal()
      })
    onThreads(1) { _ in subscription.dispose() }
    #expect(semaphore.wait())
    #expect(log.lines == ["disposed true"])
  }

  @Test(
    "a dispose of a single or a maybe on another thread is reported on the main queue, too",
    arguments: [false, true])
  func singleDisposedElsewhere(isMaybe: Bool) {
    let (log, semaphore) = (log, TestSemaphore())
    let onDisposed: @MainActor @Sendable () -> Void = {
      log.add("disposed \(DispatchQueue.main.isCurrent)")
      semaphore.signal()
    }
    let subscription: any Disposable =
      isMaybe
      ? Maybe<Int>.never().subscribe(onMain: { _ in }, onDisposed: onDisposed)
      : Single<Int>.never().subscribe(onMain: { _ in }, onDisposed: onDisposed)
    onThreads(1) { _ in subscription.dispose() }
    #expect(semaphore.wait())
    #expect(log.lines == ["disposed true"])
  }

  @Test("an error goes to the error closure")
  @MainActor func error() {
    let log = log
    _ = Observable<Int>.error(TestError.one).subscribe(
      onMain: { log.add("\($0)") }, onError: { log.add("\($0)") }, onCompleted: { log.add("completed") })
    #expect(log.lines == ["one"])
  }

  @Test("closures with an object are not called after its release, and do not keep it alive")
  @MainActor func object() {
    let (log, liveCount) = (log, TrackedObject.LiveCount())
    do {
      let tracked = TrackedObject(7, in: liveCount)
      _ = source.subscribe(
        with: tracked, onMain: { log.add("\($0.value) \($1)") }, onCompleted: { _ in log.add("completed") })
      _ = source.bind(with: tracked, onMain: { log.add("bind \($0.value) \($1)") })
      source.onNext(1)
    }
    #expect(liveCount.value == 0)
    source.onNext(2)
    source.onCompleted()
    #expect(log.lines == ["7 1", "bind 7 1"])
  }

  @Test("the element of a single that arrives on another thread is delivered on the main queue")
  func single() {
    let (log, source, semaphore) = (log, source, TestSemaphore())
    _ = source.take(1).asSingle().subscribe(onMain: {
      log.add("\($0) \(DispatchQueue.main.isCurrent)")
      semaphore.signal()
    })
    onThreads(1) { _ in source.onNext(1) }
    #expect(semaphore.wait())
    #expect(log.lines == ["1 true"])
  }

  @Test("the element of a maybe and the end of a completable, too, are delivered on the main queue")
  func maybeAndCompletable() {
    let (log, source, semaphore) = (log, source, TestSemaphore())
    _ = source.asMaybe().subscribe(onMain: {
      log.add("maybe \($0) \(DispatchQueue.main.isCurrent)")
      semaphore.signal()
    })
    _ = source.ignoreElements().asCompletable().subscribe(onMain: {
      log.add("completable \(DispatchQueue.main.isCurrent)")
      semaphore.signal()
    })
    onThreads(1) { _ in
      source.onNext(1)
      source.onCompleted()
    }
    #expect(semaphore.wait(for: 2))
    #expect(log.lines.sorted() == ["completable true", "maybe 1 true"])
  }

  @Test("the error of a single goes to the failure closure, with the object")
  @MainActor func failureWithObject() {
    let log = log
    let tracked = TrackedObject(7, in: TrackedObject.LiveCount())
    _ = Single<Int>.error(TestError.one).subscribe(
      with: tracked, onMain: { log.add("\($0.value) \($1)") },
      onFailure: { log.add("failed \($0.value) \($1)") })
    #expect(log.lines == ["failed 7 one"])
  }

  @Test("the error of a sequence and the completion of a maybe go to their closures, with the object")
  @MainActor func endsWithObject() {
    let log = log
    let tracked = TrackedObject(7, in: TrackedObject.LiveCount())
    _ = Observable<Int>.error(TestError.one).subscribe(
      with: tracked, onMain: { _, _ in }, onError: { log.add("failed \($0.value) \($1)") })
    _ = Maybe<Int>.empty().subscribe(
      with: tracked, onMain: { _, _ in }, onCompleted: { log.add("nothing \($0.value)") })
    withExtendedLifetime(tracked) {}
    #expect(log.lines == ["failed 7 one", "nothing 7"])
  }

  @Test("the closure of a single is not called after the release of its object, and does not keep it")
  @MainActor func singleWithObject() {
    let (log, liveCount) = (log, TrackedObject.LiveCount())
    do {
      let tracked = TrackedObject(7, in: liveCount)
      _ = source.take(1).asSingle().subscribe(
        with: tracked, onMain: { log.add("\($0.value) \($1)") })
    }
    #expect(liveCount.value == 0)
    source.onNext(1)
    #expect(log.lines == [])
  }

  @Test("the closure of a completable is not called after the release of its object, and does not keep it")
  @MainActor func completableWithObject() {
    let (log, liveCount) = (log, TrackedObject.LiveCount())
    do {
      let tracked = TrackedObject(7, in: liveCount)
      _ = source.ignoreElements().asCompletable().subscribe(
        with: tracked, onMain: { log.add("completed \($0.value)") })
    }
    #expect(liveCount.value == 0)
    source.onCompleted()
    #expect(log.lines == [])
  }

  @Test("no closure of a subscription keeps its object, whatever it is called for")
  @MainActor func objectOfAllClosures() {
    let (liveCount, bag) = (TrackedObject.LiveCount(), DisposeBag())
    do {
      let tracked = TrackedObject(in: liveCount)
      source.subscribe(
        with: tracked, onMain: { _, _ in }, onError: { _, _ in }, onCompleted: { _ in },
        onDisposed: { _ in }
      ).disposed(by: bag)
      source.asSingle().subscribe(
        with: tracked, onMain: { _, _ in }, onFailure: { _, _ in }, onDisposed: { _ in }
      ).disposed(by: bag)
      source.asMaybe().subscribe(
        with: tracked, onMain: { _, _ in }, onError: { _, _ in }, onCompleted: { _ in },
        onDisposed: { _ in }
      ).disposed(by: bag)
      source.ignoreElements().asCompletable().subscribe(
        with: tracked, onMain: { _ in }, onError: { _, _ in }, onDisposed: { _ in }
      ).disposed(by: bag)
    }
    #expect(source.hasObservers)
    #expect(liveCount.value == 0)
    withExtendedLifetime(bag) {}
  }

  @Test("the ends and disposals of traits go to their closures, with and without an object")
  @MainActor func endsOfTraits() {
    let log = log
    let tracked = TrackedObject(7, in: TrackedObject.LiveCount())
    _ = Single.just(1).subscribe(
      with: tracked, onMain: { _, _ in }, onDisposed: { log.add("single \($0.value) disposed") })
    _ = Maybe<Int>.error(TestError.one).subscribe(
      onMain: { _ in }, onError: { log.add("maybe \($0)") }, onDisposed: { log.add("maybe disposed") })
    _ = Maybe<Int>.error(TestError.one).subscribe(
      with: tracked, onMain: { _, _ in }, onError: { log.add("maybe \($0.value) \($1)") },
      onDisposed: { log.add("maybe \($0.value) disposed") })
    _ = Completable.error(TestError.two).subscribe(
      with: tracked, onMain: { _ in }, onError: { log.add("completable \($0.value) \($1)") },
      onDisposed: { log.add("completable \($0.value) disposed") })
    _ = Infallible.just(1).subscribe(
      onMain: { _ in }, onDisposed: { log.add("infallible disposed") })
    _ = Infallible.just(1).subscribe(
      with: tracked, onMain: { _, _ in }, onCompleted: { log.add("infallible \($0.value) completed") },
      onDisposed: { log.add("infallible \($0.value) disposed") })
    withExtendedLifetime(tracked) {}
    #expect(
      log.lines == [
        "single 7 disposed", "maybe one", "maybe disposed", "maybe 7 one", "maybe 7 disposed",
        "completable 7 two", "completable 7 disposed", "infallible disposed", "infallible 7 completed",
        "infallible 7 disposed",
      ])
  }

  @Test("closures of singles, maybes, completables and infallibles also run on the main actor")
  @MainActor func traits() {
    let log = log
    let tracked = TrackedObject(7, in: TrackedObject.LiveCount())
    _ = Single.just(1).subscribe(onMain: { log.add("single \($0)") }, onDisposed: { log.add("disposed") })
    _ = Single<Int>.error(TestError.one).subscribe(onMain: { _ in }, onFailure: { log.add("failed \($0)") })
    _ = Single.just(1).subscribe(with: tracked, onMain: { log.add("single \($0.value) \($1)") })
    _ = Maybe.just(2).subscribe(onMain: { log.add("maybe \($0)") })
    _ = Maybe<Int>.empty().subscribe(onMain: { _ in }, onCompleted: { log.add("nothing") })
    _ = Maybe.just(2).subscribe(with: tracked, onMain: { log.add("maybe \($0.value) \($1)") })
    _ = Completable.empty().subscribe(onMain: { log.add("completable") })
    _ = Completable.error(TestError.two).subscribe(onMain: {}, onError: { log.add("failed \($0)") })
    _ = Completable.empty().subscribe(with: tracked, onMain: { log.add("completable \($0.value)") })
    _ = Infallible.just(3).subscribe(onMain: { log.add("infallible \($0)") }, onCompleted: { log.add("end") })
    _ = Infallible.just(3).bind(with: tracked, onMain: { log.add("infallible \($0.value) \($1)") })
    _ = Infallible.just(4).bind(onMain: { log.add("bind \($0)") })
    #expect(
      log.lines == [
        "single 1", "disposed", "failed one", "single 7 1", "maybe 2", "nothing", "maybe 7 2", "completable",
        "failed two", "completable 7", "infallible 3", "end", "infallible 7 3", "bind 4",
      ])
  }
}

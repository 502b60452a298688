import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("sample", .timeLimit(.minutes(5)))
struct SampleTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func sampled(
    _ source: some ObservableType<Int>, _ sampler: some ObservableType<Int>, defaultValue: Int? = nil,
    disposed: Int = 1000
  ) -> [Recorded<Event<Int>>] {
    scheduler.start(disposed: disposed) { source.sample(sampler, defaultValue: defaultValue) }.events
  }

  @Test("each sample is the latest element, if there is a new one")
  func latest() {
    let source = scheduler.hot(
      .next(150, 1), .next(220, 2), .next(240, 3), .next(290, 4), .next(300, 5), .next(310, 6),
      .completed(400))
    let sampler = scheduler.hot(.next(210, 0), .next(250, 0), .next(260, 0), .next(320, 0), .completed(500))
    #expect(sampled(source, sampler) == [.next(250, 3), .next(320, 6), .completed(500)])
    #expect(source.subscriptions == [Subscription(200, 400)])
    #expect(sampler.subscriptions == [Subscription(200, 500)])
  }

  @Test("completion of the sampler takes a sample too")
  func lastSample() {
    let source = scheduler.hot(.next(220, 2), .next(310, 6), .next(360, 7), .completed(400))
    let sampler = scheduler.hot(.next(250, 0), .next(320, 0), .completed(500))
    #expect(sampled(source, sampler) == [.next(250, 2), .next(320, 6), .next(500, 7), .completed(500)])
    #expect(source.subscriptions == [Subscription(200, 400)])
    #expect(sampler.subscriptions == [Subscription(200, 500)])
  }

  @Test("after completion of the source the next sample completes it")
  func sourceEnds() {
    let source = scheduler.hot(.next(220, 2), .next(240, 3), .next(290, 4), .completed(300))
    let sampler = scheduler.hot(.next(210, 0), .next(250, 0), .next(320, 0), .next(330, 0), .completed(500))
    #expect(sampled(source, sampler) == [.next(250, 3), .next(320, 4), .completed(320)])
    #expect(source.subscriptions == [Subscription(200, 300)])
    #expect(sampler.subscriptions == [Subscription(200, 320)])
  }

  @Test("without a new element, a sample is the default value")
  func defaultValue() {
    let source = scheduler.hot(.next(220, 2), .next(240, 3), .completed(300))
    let sampler = scheduler.hot(.next(210, 0), .next(250, 0), .next(260, 0), .next(320, 0))
    #expect(
      sampled(source, sampler, defaultValue: -1) == [
        .next(210, -1), .next(250, 3), .next(260, -1), .next(320, -1), .completed(320),
      ])
  }

  @Test("nothing follows the completion of the sampler, which is disposed at once")
  func samplerEnds() {
    let source = scheduler.hot(.next(220, 2), .next(260, 3), .completed(400))
    let sampler = scheduler.hot(.next(230, 0), .completed(250))
    #expect(sampled(source, sampler) == [.next(230, 2)])
    #expect(source.subscriptions == [Subscription(200, 400)])
    #expect(sampler.subscriptions == [Subscription(200, 250)])
  }

  @Test("an error of the source is forwarded")
  func sourceFails() {
    let source = scheduler.hot(.next(220, 2), .error(320, TestError.one))
    let sampler = scheduler.hot(.next(300, 0), .completed(400))
    #expect(sampled(source, sampler) == [.next(300, 2), .error(320, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 320)])
    #expect(sampler.subscriptions == [Subscription(200, 320)])
  }

  @Test("an error of the sampler is forwarded")
  func samplerFails() {
    let source = scheduler.hot(.next(220, 2), .next(290, 4), .completed(400))
    let sampler = scheduler.hot(.next(250, 0), .error(320, TestError.one))
    #expect(sampled(source, sampler) == [.next(250, 2), .error(320, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 320)])
    #expect(sampler.subscriptions == [Subscription(200, 320)])
  }

  @Test("without elements of both, nothing is sent")
  func never() {
    let (source, sampler) = (scheduler.hot(.next(150, 1)), scheduler.hot(.next(300, 0)))
    #expect(sampled(source, sampler) == [])
    #expect(source.subscriptions == [Subscription(200, 1000)])
    #expect(sampler.subscriptions == [Subscription(200, 1000)])
  }

  @Test("disposal disposes both")
  func disposed() {
    let source = scheduler.hot(.next(220, 2), .next(290, 4), .completed(400))
    let sampler = scheduler.hot(.next(250, 0), .next(320, 0))
    #expect(sampled(source, sampler, disposed: 300) == [.next(250, 2)])
    #expect(source.subscriptions == [Subscription(200, 300)])
    #expect(sampler.subscriptions == [Subscription(200, 300)])
  }

  @Test("the held element is released by disposal and by the next one")
  func lifetime() {
    let liveCount = TrackedObject.LiveCount()
    let feed = SingleObserverSource<TrackedObject>()
    let subscription = feed.observable.sample(Observable<Int>.never()).subscribe()
    for index in 0..<3 { feed.send(.next(TrackedObject(index, in: liveCount))) }
    #expect(liveCount.value == 1)
    subscription.dispose()
    #expect(liveCount.value == 0)
  }

  @Test("source and sampler may send from different threads")
  func threads() {
    for _ in 0..<100 {
      let (source, sampler, recorder) = (
        PublishSubject<Int>(), PublishSubject<Int>(), RecordingObserver<Int>()
      )
      let subscription = source.sample(sampler).subscribe(recorder)
      onThreads(2) { thread in
        for element in 0..<100 { (thread == 0 ? source : sampler).onNext(element) }
        (thread == 0 ? source : sampler).onCompleted()
      }
      #expect(recorder.overlaps == 0)
      #expect(recorder.elements == recorder.elements.sorted())
      #expect(Set(recorder.elements).count == recorder.elements.count)
      subscription.dispose()
    }
  }
}

import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

// The total is that of the process, so each counting test runs in a separate process.
@Suite("Resources", .timeLimit(.minutes(5)))
struct ResourcesTests {
  #if TRACE_RESOURCES
    @Test("live objects are counted once, and released ones are not")
    func counts() async {
      await #expect(processExitsWith: .success) {
        #expect(Resources.total == 0)
        do {
          let subject = PublishSubject<Int>()
          #expect(Resources.total == 1)
          let subscription = subject.subscribe()
          #expect(Resources.total > 1)
          subscription.dispose()
          withExtendedLifetime((subject, subscription)) {}
        }
        #expect(Resources.total == 0)
      }
    }

    @Test("the state of a trait's `create` is counted until its one event")
    func traits() async {
      await #expect(processExitsWith: .success) {
        // The test compares the totals of sequences that differ only in the part under test.
        func total(with subscribe: () -> any Disposable) -> Int32 {
          let subscription = subscribe()
          defer { subscription.dispose() }
          return Resources.total
        }
        let bare = total { Observable<Int>.never().subscribe() }
        #expect(
          total { Single<Int>.create { _ in Disposables.create() }.asObservable().subscribe() } == bare + 1)
        #expect(
          total { Maybe<Int>.create { _ in Disposables.create() }.asObservable().subscribe() } == bare + 1)
        #expect(
          total { Completable.create { _ in Disposables.create() }.asObservable().subscribe() } == bare + 1)
        #expect(Resources.total == 0)
      }
    }

    @Test("sequences that observe(on:) makes for a serial queue are counted while they live")
    func serialQueues() async {
      await #expect(processExitsWith: .success) {
        func made(on scheduler: any ImmediateSchedulerType) -> Int32 {
          let sequences = (0..<2).map { _ in Observable.just(1).observe(on: scheduler) }
          return withExtendedLifetime(sequences) { Resources.numberOfSerialDispatchQueueObservables }
        }
        #expect(made(on: SerialDispatchQueueScheduler(qos: .default)) == 2)
        #expect(made(on: MainScheduler.instance) == 2)
        #expect(made(on: ConcurrentDispatchQueueScheduler(qos: .default)) == 0)
        #expect(Resources.numberOfSerialDispatchQueueObservables == 0)
      }
    }

    @Test("users can count their own types")
    func custom() async {
      await #expect(processExitsWith: .success) {
        #expect(Resources.incrementTotal() == 1)
        #expect(Resources.incrementTotal() == 2)
        #expect(Resources.decrementTotal() == 1)
        #expect(Resources.total == 1)
      }
    }

    @Test("a subscription that keeps itself alive is visible")
    func leak() async {
      await #expect(processExitsWith: .success) {
        do {
          let subject = PublishSubject<Int>()
          _ = subject.subscribe(onNext: { _ in _ = subject })
        }
        #expect(Resources.total > 0)
      }
    }

    @Test("nothing is left of an operator after its sequence has completed, failed or been disposed")
    func operators() async {
      await #expect(processExitsWith: .success) {
        for identity in IdentityOperator.all {
          for end in [Event<Int>.completed, .error(TestError.one), nil] {
            // The first use creates the objects that the operator keeps permanently.
            _ = identity(Observable.empty())
            let start = Resources.total
            do {
              let subject = PublishSubject<Int>()
              let subscription = identity(subject).subscribe(onError: { _ in })
              subject.onNext(1)
              #expect(Resources.total > start + 2)
              if let end { subject.on(end) } else { subscription.dispose() }
            }
            #expect(
              Resources.total == start, "\(identity.testDescription), \(end.map { "\($0)" } ?? "disposed")")
          }
        }
      }
    }

    @Test("nothing is left of timed, shared, replayed or bagged sequences")
    func others() async {
      await #expect(processExitsWith: .success) {
        do {
          let marbles = Marbles()
          let source = try marbles.hot("-a-b-c--d-|")
          let timed = source.debounce(.seconds(1), scheduler: marbles.scheduler)
            .delay(.seconds(1), scheduler: marbles.scheduler)
            .timeout(.seconds(900), scheduler: marbles.scheduler)
            .buffer(timeSpan: .seconds(2), count: 2, scheduler: marbles.scheduler)
          let shared = timed.share(replay: 2, scope: .forever)
          let bag = DisposeBag()
          shared.subscribe().disposed(by: bag)
          shared.publish().refCount().subscribe().disposed(by: bag)
          let relay = BehaviorRelay(value: [""])
          shared.bind(to: relay).disposed(by: bag)
          #expect(Resources.total > 20)
          marbles.scheduler.start()
          #expect(relay.value != [""])
        } catch {
          Issue.record(error)
        }
        #expect(Resources.total == 0)
      }
    }

    @Test("nothing is left of work on a queue")
    func queues() async {
      await #expect(processExitsWith: .success) {
        do {
          let scheduler = SerialDispatchQueueScheduler(qos: .default)
          let clock = Observable<Int>.interval(.milliseconds(1), scheduler: scheduler).take(3)
          let elements = try? clock.observe(on: scheduler).toBlocking(timeout: 60).toArray()
          #expect(elements == [0, 1, 2])
        }
        // The queue may not have released its last action yet.
        for _ in 0..<10_000_000 where Resources.total > 0 { await Task.yield() }
        #expect(Resources.total == 0)
      }
    }
  #else
    @Test("a build without tracing counts nothing")
    func off() {
      let subscription = PublishSubject<Int>().subscribe()
      #expect(Resources.total == 0)
      #expect(Resources.numberOfSerialDispatchQueueObservables == 0)
      #expect(Resources.incrementTotal() == 0)
      #expect(Resources.decrementTotal() == 0)
      subscription.dispose()
    }
  #endif
}

import Dispatch
import Foundation
import RxLite
import Testing

private func use(_: Any...) {}

private func bridges(_ compute: @escaping @Sendable () async throws -> Int) async throws {
  for try await element in Observable.of(1, 2, 3).values { print(element) }
  let answer = Single.create { try await compute() }
  use(answer)
}

private func blocking() throws {
  let numbers = try Observable.of(1, 2, 3).toBlocking().toArray()
  use(numbers)
}

private func connection(_ scheduler: any SchedulerType) {
  let clock = Observable<Int>.interval(.seconds(1), scheduler: scheduler).publish()
  let first = clock.subscribe(onNext: { print("first", $0) })
  let second = clock.subscribe(onNext: { print("second", $0) })
  let connection = clock.connect()
  use(first, second, connection)
}

private func observable() {
  let bag = DisposeBag()
  Observable.of(1, 2, 3)
    .map { $0 * 2 }
    .subscribe(onNext: { print($0) })
    .disposed(by: bag)
}

private func create() {
  let pair = Observable<Int>.create { observer in
    observer.onNext(1)
    observer.onNext(2)
    observer.onCompleted()
    return Disposables.create()
  }
  use(pair)
}

private func resources() {
  struct Screen { func appear() {} }
  #if TRACE_RESOURCES
    let start = Resources.total
    Screen().appear()
    #expect(Resources.total == start)
  #endif
}

private final class Screen {
  private let bag = DisposeBag()
  init(clock: Observable<Int>) {
    clock.subscribe(onNext: { print($0) }).disposed(by: bag)
  }
}

private func relay() {
  let name = BehaviorRelay(value: "Ada")
  _ = name.subscribe(onNext: { print($0) })
  name.accept("Grace")
}

private func schedulers(_ bag: DisposeBag) {
  let background = SerialDispatchQueueScheduler(qos: .utility)
  Observable.of("a", "b")
    .observe(on: background)
    .subscribe(onNext: { print($0) })
    .disposed(by: bag)
  let scheduler = HistoricalScheduler()
  _ = scheduler.scheduleRelative("wake up", dueTime: .seconds(3600)) { message in
    print(message, scheduler.clock)
    return Disposables.create()
  }
  scheduler.start()
}

private func subject() {
  let subject = ReplaySubject<Int>.create(bufferSize: 2)
  for element in 1...3 { subject.onNext(element) }
  _ = subject.subscribe(onNext: { print($0) })
}

private func traits() {
  let saved = Completable.empty()
  let subscription = saved.subscribe(onCompleted: { print("saved") }, onError: { print($0) })
  use(subscription)
}

private func infallible() {
  let subscription = Infallible.of(1, 2, 3)
    .map { $0 * 2 }
    .subscribe(onNext: { print($0) })
  use(subscription)
}

private func maybe() {
  let cached = Maybe.just(21).filter { $0 > 10 }
  let subscription = cached.subscribe(onSuccess: { print($0) }, onCompleted: { print("nothing") })
  use(subscription)
}

private func single() {
  let answer = Single.just(21).map { $0 * 2 }
  let subscription = answer.subscribe(onSuccess: { print($0) }, onFailure: { print($0) })
  use(subscription)
}

private struct Overload: Error {}

private func retryPolicy(_ question: Observable<Int>) {
  let answer = question.retry(.exponentialDelayed(maxCount: 4, initial: 1, multiplier: 1)) { $0 is Overload }
  use(answer)
}

import Dispatch
import Measuring
import OpenCombine
import OpenCombineDispatch
import RxLite
import RxLiteTesting

extension Workloads {
  /// Elements that change threads or wait in virtual time.
  static let time = [
    Workload(
      "observe(on: serial queue)", rxSwift: .init(2_351),
      ours: { count in
        let subject = PublishSubject<Int>(), end = DispatchSemaphore(value: 0)
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "observe")
        let subscription = subject.observe(on: scheduler).subscribe(onCompleted: { end.signal() })
        for element in 0..<count { subject.onNext(element) }
        subject.onCompleted()
        end.wait()
        subscription.dispose()
        return count
      },
      peer: { count in
        let subject = PassthroughSubject<Int, Never>(), end = DispatchSemaphore(value: 0)
        let subscription = subject.receive(on: DispatchQueue(label: "observe").ocombine)
          .sink(receiveCompletion: { _ in end.signal() }, receiveValue: { _ in })
        for element in 0..<count { subject.send(element) }
        subject.send(completion: .finished)
        end.wait()
        subscription.cancel()
        return count
      }),
    Workload(
      "observe(on: MainScheduler.instance)",
      ours: { count in
        draining(count) { $0.observe(on: MainScheduler.instance).subscribe(onCompleted: $1) }
      }),
    Workload(
      "subscribe(onMain:)",
      ours: { count in
        draining(count) { source, end in source.subscribe(onMain: { _ in }, onCompleted: { end() }) }
      }),
    Workload(
      "timeout", rxSwift: .init(23_000),
      ours: { count in
        pushing(count) { $0.timeout(.seconds(60), scheduler: $1) }
      }),
    Workload(
      "debounce", rxSwift: .init(27_000),
      ours: { count in
        pushing(count) { $0.debounce(.seconds(60), scheduler: $1) }
      }),
    Workload(
      "debounce in virtual time",
      ours: { count in
        inVirtualTime(count) { $0.debounce(.seconds(2), scheduler: $1) }
      }),
    Workload(
      "delay in virtual time",
      ours: { count in
        inVirtualTime(count) { $0.delay(.seconds(2), scheduler: $1) }
      }),
  ]

  /// Sends events on another thread and drains the main queue until the observer has received the last.
  private static func draining(
    _ count: Int, subscribe: (Observable<Int>, @escaping @Sendable () -> Void) -> any RxLite.Disposable
  ) -> Int {
    let subject = PublishSubject<Int>(), end = ReplaySubject<Bool>.create(bufferSize: 1)
    let subscription = subscribe(subject) { end.onNext(true) }
    DispatchQueue.global().async {
      for element in 0..<count { subject.onNext(element) }
      subject.onCompleted()
    }
    _ = try? end.take(1).toBlocking().last()
    subscription.dispose()
    return count
  }

  private static func pushing(
    _ count: Int, through chain: (Observable<Int>, SerialDispatchQueueScheduler) -> Observable<Int>
  ) -> Int {
    let subject = PublishSubject<Int>()
    let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "timer")
    let subscription = chain(subject, scheduler).subscribe()
    for element in 0..<count { subject.onNext(element) }
    subscription.dispose()
    return count
  }

  private static func inVirtualTime(
    _ count: Int, through chain: (Observable<Int>, TestScheduler) -> Observable<Int>
  ) -> Int {
    let scheduler = TestScheduler(initialClock: 0)
    let subject = PublishSubject<Int>()
    var total = 0
    let subscription = chain(subject, scheduler).subscribe(onNext: { total &+= $0 })
    for element in 0..<count {
      subject.onNext(element)
      scheduler.advanceTo(element + 1)
    }
    scheduler.advanceTo(count + 10)
    subscription.dispose()
    blackHole(total)
    return count
  }
}

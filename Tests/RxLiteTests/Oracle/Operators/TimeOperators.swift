import RxLite

extension OperatorCall {
  static let time: [String: Operator] = [
    "takeFor": { $0.source.take(for: $0.seconds(0), scheduler: $0.scheduler) },
    "skipFor": { $0.source.skip($0.seconds(0), scheduler: $0.scheduler) },
    "debounce": { $0.source.debounce($0.seconds(0), scheduler: $0.scheduler) },
    "throttle": { $0.source.throttle($0.seconds(0), latest: $0[1] == 1, scheduler: $0.scheduler) },
    "delay": { $0.source.delay($0.seconds(0), scheduler: $0.scheduler) },
    "delaySub": { $0.source.delaySubscription($0.seconds(0), scheduler: $0.scheduler) },
    "timeout": { $0.source.timeout($0.seconds(0), scheduler: $0.scheduler) },
    "timeoutO": { $0.source.timeout($0.seconds(0), other: $0.other, scheduler: $0.scheduler) },
  ]

  /// The number 0 stands for the scheduler of virtual time, 1 for the current thread.
  static let threads: [String: Operator] = [
    "observeOn": { call in
      call[0] == 0
        ? call.source.observe(on: call.scheduler) : call.source.observe(on: CurrentThreadScheduler.instance)
    },
    "subscribeOn": { call in
      call[0] == 0
        ? call.source.subscribe(on: call.scheduler)
        : call.source.subscribe(on: CurrentThreadScheduler.instance)
    },
  ]
}

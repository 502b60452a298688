import ReactiveNetwork
import ReactiveNetworkExamples
import ReactiveNetworkLock

/// Watches services until the rounds are over or a signal arrives, and notifies the service manager.
final class Program: Sendable {
  let watcher: Watcher
  let rounds: Int?
  /// The file to read again on SIGHUP; `nil` for none.
  let file: String?

  private let manager = ServiceManager()
  private let health = Lock(Health())
  private let isStopping = Lock(false)
  /// Serialises the output, because the reports come from several requests at a time.
  private let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "output")

  init(watcher: Watcher, rounds: Int?, file: String?) {
    self.watcher = watcher
    self.rounds = rounds
    self.file = rounds == nil ? file : nil
  }

  /// Runs the program; returns `true` if no request is in flight at the end, and if either a signal has ended the
  /// program or all services are well.
  func run(_ configuration: Configuration) throws -> Bool {
    // A service whose rounds are over sends no more reports.
    let pings = manager.pings(on: queue) { self.rounds != nil || self.health.withLock { $0.isAlive } }
      .subscribe()
    defer { pings.dispose() }

    let end = configurations(from: configuration)
      .flatMapLatest { self.watcher.reports(for: $0, rounds: self.rounds) }
      .take(until: stop)
      .observe(on: queue)
      .do(onNext: publish)
      .ignoreElements()
      .toBlocking().materialize()

    // The requests are released only after the sequence has ended.
    let idle = try? watcher.activity.inFlight.filter { $0 == 0 }.toBlocking(timeout: 1).first()
    if case .failed(_, let error) = end { throw error }
    return idle == 0 && (isStopping.withLock { $0 } || health.withLock { $0.isWell })
  }

  /// Emits the configuration, and after each SIGHUP that of the file if it differs.
  private func configurations(from configuration: Configuration) -> Observable<Configuration> {
    let reloads = file.map { file in signals(SIGHUP).map { _ in self.reload(file) } } ?? .empty()
    // The signal is observed before the service manager hears that the program is ready.
    return Observable.merge(reloads, .just(configuration))
      .do(afterNext: { _ in self.manager.notify(.ready) })
      .compactMap { $0 }
      .distinctUntilChanged()
      .do(onNext: { configuration in
        let status = self.health.withLock { health in
          health.watch(configuration)
          return health.status
        }
        if self.file != nil {
          log(.notice, "watching \(configuration.services.count.counted("service"))", "watcher")
        }
        self.manager.notify(.status(status))
      })
  }

  /// Reads the configuration again; returns `nil` if it is faulty.
  private func reload(_ file: String) -> Configuration? {
    manager.notify(.reloading)
    do {
      let configuration = try Configuration(file: file)
      // Replaces the message about a faulty file, even if the configuration is the former one.
      manager.notify(.status(health.withLock { $0.status }))
      return configuration
    } catch {
      log(.error, "keeping the former configuration: \(error.localizedDescription)", "watcher")
      manager.notify(.status("keeping the former configuration: \(error.localizedDescription)"))
      return nil
    }
  }

  /// Emits when a signal asks the program to end.
  private var stop: Observable<Int32> {
    (file == nil ? terminationSignals() : signals(SIGINT, SIGTERM, SIGQUIT))
      .do(onNext: { _ in
        self.isStopping.withLock { $0 = true }
        self.manager.notify(.stopping)
      })
  }

  /// Writes a line of JSON, and logs a change of the service's health.
  private func publish(_ report: ServiceReport) throws {
    let (change, status) = health.withLock { ($0.record(report), $0.status) }
    if let change {
      log(change.level, change.text, "watcher")
      manager.notify(.status(status))
    }
    try output(try report.line)
  }
}

import Dispatch
import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import ReactiveNetworkLock
import RxLite

/// Runs one program, and says which promises were broken.
final class ProgramRun: Sendable {
  let composition: Composition
  let service: Service
  let number: Int
  /// The longest wait for the end of the program, in seconds.
  let patience: Int
  let record: ProgramRecord
  /// `nil` if the program takes real time.
  let clock: VirtualClock?
  /// The program's own transport; `nil` if it shares one.
  let ownTransport: CurlTransport?
  let policies: ProgramPolicies
  let recordings: RecordingFolder?
  let provider: NetworkProvider<ProgramTarget>
  /// Sends requests without the user's token.
  let plain: NetworkProvider<ProgramTarget>
  /// Ends of subscriptions and of the requests of handlers.
  let ends = DispatchGroup()
  /// The trigger of `take(until:)`.
  let stop = PublishSubject<Void>()
  /// Signals that the server has the first request, or that the program has a response.
  let arrival = DispatchSemaphore(value: 0)

  init(_ composition: Composition, number: Int, on service: Service, patience: Int) {
    self.composition = composition
    self.service = service
    self.number = number
    self.patience = patience
    let record = ProgramRecord(composition)
    self.record = record
    service.add(record, number: number)
    clock = composition.isVirtual ? VirtualClock() : nil
    ownTransport = composition.isAlone ? service.exclusive.take() : nil
    let base = ownTransport ?? service.transports[composition.loops - 1]
    let isPersonal = composition.tokenSource == .configuration
    policies = ProgramPolicies(clock)
    recordings = composition.layers.contains(.recording) ? RecordingFolder(number: number) : nil
    let wire: any Transport = isPersonal ? service.personal[Int(composition.seed % 2)] : base
    let transport = TransportStack(
      record: record, origin: service.home.origin, policies: policies, cache: service.cache,
      recordings: recordings
    ).transport(over: wire)
    provider = Self.provider(over: transport, record, clock)
    plain = NetworkProvider(transport: base, plugins: [EventOrderPlugin(record)])
  }

  static func provider(
    over transport: any Transport, _ record: ProgramRecord, _ clock: VirtualClock?
  ) -> NetworkProvider<ProgramTarget> {
    let composition = record.composition
    let interceptors: [any RequestInterceptor] =
      switch composition.tokenSource {
      case .interceptor: [TokenInterceptor(record: record)]
      case .asyncInterceptor: [AsyncTokenInterceptor(record: record, isStalled: false)]
      case .stalledInterceptor: [AsyncTokenInterceptor(record: record, isStalled: true)]
      case .plugin, .innerLayer, .outerLayer, .configuration: []
      }
    var plugins: [any PluginType] = [CountingPlugin(record: record), EventOrderPlugin(record)]
    for plugin in composition.plugins {
      switch plugin {
      case .records: plugins.append(record.requestRecords)
      case .preparing: plugins.append(PreparingPlugin())
      case .asyncPreparing: plugins.append(AsyncPreparingPlugin())
      case .slowObserver, .retryPolicy: break
      }
    }
    if composition.tokenSource == .plugin { plugins.append(AccessTokenPlugin { _ in record.token }) }
    let retries = composition.plugins.contains(.retryPolicy)
    return NetworkProvider(
      transport: transport, plugins: plugins,
      interceptors: interceptors
        + (retries ? [RetryPolicy(retryLimit: 1, exponentialBackoffScale: 0.001)] : []),
      trackInflights: composition.sharesInflight, scheduler: clock?.delays ?? DispatchDelayScheduler())
  }

  /// Runs the program to its end.
  func violations() -> [String] {
    if composition.hasStrangers { startStrangers(after: start) } else { start() }
    if !hasEnded() { record.note("a subscription or request has not ended") }
    let faults = faultsOfParts(after: patience)
    record.state.withLock { $0.sockets.isOver = true }
    replay()
    service.remove(number: number)
    recordings?.remove()
    if let ownTransport { service.exclusive.giveBack(ownTransport) }
    return faults + faultsOnTheWire + faultsOfSockets + record.state.withLock { $0.faults }
  }

  private func start() {
    switch composition.shape {
    case .callbacks, .burst: runCallbacks()
    case .task, .taskOfSingle: runTasks()
    case .taskOfSocket: runSocketTasks()
    case .socket, .latestSocket, .topics: runSockets()
    default: runSequence()
    }
  }

  func target(_ path: String, isForeign: Bool = false, method: HTTPMethod? = nil) -> ProgramTarget {
    // All programs share the addresses that a cache stores.
    let suffix = path == "get" ? "/\(composition.seed % 5)" : "/\(number)"
    return ProgramTarget(
      baseURL: isForeign ? service.foreign.baseURL : service.home.baseURL, path: path + suffix,
      number: number, method: method ?? (path == "post" ? .post : .get))
  }

  /// The first request.
  var first: ProgramTarget {
    target(composition.shape.isSocket ? "socket" : composition.posts ? "post" : "get")
  }
}

extension ProgramRun {
  /// Waits for the end of the program, and advances its clock.
  func hasEnded() -> Bool {
    let deadline = DispatchTime.now() + .seconds(patience)
    guard let clock else { return ends.wait(timeout: deadline) == .success }
    while ends.wait(timeout: .now() + .milliseconds(1)) == .timedOut {
      guard DispatchTime.now() < deadline else { return false }
      clock.advance(by: .seconds(20))
    }
    return true
  }

  /// Lets a short time pass.
  func pass() {
    usleep(2_000)
    clock?.advance(by: .seconds(100))
  }
}

import Foundation
import LoopbackServer
import ReactiveNetwork
import ReactiveNetworkLock
import RxLite
import Testing

/// The examples in the article.
private struct Examples: Sendable {
  let provider = NetworkProvider<Page>()
  let environment: [String: String]
  /// Returns the content of the configuration's file.
  let file: @Sendable () -> String

  func load() throws -> Configuration {
    try JSONDecoder().decode(Configuration.self, from: Data(file().utf8))
  }

  struct Configuration: Equatable, Decodable {
    var services: [URL]
    var seconds: Int
  }

  struct Page: TargetType {
    let baseURL: URL
    let path = ""
  }

  func service(reloads: Observable<Int32>, stop: Observable<Int32>) throws -> Observable<Response> {
    // SIGHUP is handled before systemd hears that the service is ready.
    Observable.merge(reloads.map { _ in reload() }, .just(try load()))
      .do(afterNext: { _ in notify("READY=1") })
      .compactMap { $0 }
      .distinctUntilChanged()
      .flatMapLatest { watch($0) }
      .take(until: stop.do(onNext: { _ in notify("STOPPING=1") }))
  }

  func watch(_ configuration: Configuration) -> Observable<Response> {
    Observable.merge(
      configuration.services.map { url in
        provider.rx.request(Page(baseURL: url)).poll(every: .seconds(configuration.seconds))
      })
  }

  func run(signals: (Int32...) -> Observable<Int32>) throws -> MaterializedSequenceResult<Response> {
    let end = try service(reloads: signals(SIGHUP), stop: signals(SIGTERM, SIGINT))
      .toBlocking().materialize()
    return end
  }

  func notify(_ message: String) {
    guard let name = environment["NOTIFY_SOCKET"] else { return }
    var address = sockaddr_un()
    let path = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    _ = withUnsafeBytes(of: address) { raw in
      let address = raw.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      return sendto(descriptor, message, message.utf8.count, Int32(MSG_NOSIGNAL), address, length)
    }
  }

  func reload() -> Configuration? {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    notify("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)")
    do {
      return try load()
    } catch {
      notify("STATUS=keeping the former configuration: \(error)")
      return nil
    }
  }

  func pings(on queue: any SchedulerType, isAlive: @escaping @Sendable () -> Bool) -> Observable<Int> {
    guard let limit = environment["WATCHDOG_USEC"].flatMap({ Int($0) }),
      environment["WATCHDOG_PID"].map({ $0 == "\(getpid())" }) ?? true
    else { return .never() }
    return Observable<Int>.interval(.microseconds(limit / 2), scheduler: queue)
      .filter { _ in isAlive() }
      .do(onNext: { _ in notify("WATCHDOG=1") })
  }
}

@Suite("Examples in Run it as a service", .timeLimit(.minutes(5)))
struct RunAsAServiceTests {
  @Test("a configuration starts its requests, a reload replaces them, and a signal cancels them")
  func life() async throws {
    let server = try LoopbackServer { _ in .never }
    let file = Lock(#"{"services": ["\#(server.origin)/first"], "seconds": 1}"#)
    let socket = try NotifySocket()
    let examples = Examples(environment: ["NOTIFY_SOCKET": socket.name]) { file.withLock { $0 } }
    let (reloads, stop) = (PublishSubject<Int32>(), PublishSubject<Int32>())
    let service = try examples.service(reloads: reloads.asObservable(), stop: stop.asObservable())
    let ended = Lock(false)
    let subscription = service.subscribe(onCompleted: { ended.withLock { $0 = true } })
    #expect(socket.messages == ["READY=1"])
    try await server.log(until: { $0.pending == 1 })

    file.withLock { $0 = "{}" }
    reloads.onNext(SIGHUP)
    let faulty = socket.messages
    #expect(faulty.map { $0.prefix(10) } == ["RELOADING=", "STATUS=kee", "READY=1"])
    #expect(server.log.abandoned.isEmpty)

    file.withLock { $0 = #"{"services": ["\#(server.origin)/second"], "seconds": 1}"# }
    reloads.onNext(SIGHUP)
    #expect(socket.messages.map { $0.prefix(9) } == ["RELOADING", "READY=1"])
    try await server.log(until: { $0.abandoned.map(\.request.path) == ["/first"] && $0.pending == 1 })

    stop.onNext(SIGTERM)
    #expect(socket.messages == ["STOPPING=1"])
    #expect(ended.withLock { $0 })
    try await server.log(until: { $0.abandoned.count == 2 && $0.openConnections == 0 })
    subscription.dispose()
  }

  @Test("pings arrive at half of the watchdog's time while the service is alive")
  func watchdog() throws {
    let socket = try NotifySocket()
    let environment = ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "20000000"]
    let scheduler = HistoricalScheduler()
    let isAlive = Lock(true)
    let pings = Examples(environment: environment) { "" }.pings(on: scheduler) { isAlive.withLock { $0 } }
    let subscription = pings.subscribe()
    scheduler.advanceTo(scheduler.now.addingTimeInterval(25))
    #expect(socket.messages == ["WATCHDOG=1", "WATCHDOG=1"])
    isAlive.withLock { $0 = false }
    scheduler.advanceTo(scheduler.now.addingTimeInterval(60))
    #expect(socket.messages.isEmpty)
    subscription.dispose()
  }
}

/// The socket of a service manager, with an abstract name.
private final class NotifySocket: Sendable {
  let name = "@documentation-\(UUID().uuidString)"
  private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)

  struct Failure: Error {}

  init() throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = [0] + name.utf8.dropFirst()
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let isBound = withUnsafeBytes(of: address) { raw in
      bind(descriptor, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), length) == 0
    }
    guard isBound else { throw Failure() }
  }

  deinit { close(descriptor) }

  /// Removes and returns the messages that have arrived.
  var messages: [String] {
    var messages: [String] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      guard count >= 0 else { return messages }
      messages.append(String(decoding: bytes.prefix(count), as: UTF8.self))
    }
  }
}

import Foundation
import ReactiveNetwork

#if canImport(Glibc)
  import Glibc
#endif

/// Notifies systemd of this program's state, as `sd_notify` does: by datagrams to the socket in `NOTIFY_SOCKET`.
///
/// Does nothing if no service manager has set that variable.
struct ServiceManager: Sendable {
  /// A message of the protocol.
  enum State {
    case ready
    case reloading
    case stopping
    /// The pipeline is alive.
    case watchdog
    /// A line for `systemctl status`.
    case status(String)
  }

  /// The name of the socket: a path, or an abstract name, which begins with a zero byte; `nil` for none.
  private let socketName: [UInt8]?
  /// The time after which the service manager ends this program if no ping arrives; `nil` if it does not.
  let watchdogLimit: Duration?

  init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
    let name = environment["NOTIFY_SOCKET"] ?? ""
    socketName =
      switch name.first {
      case "/": Array(name.utf8)
      case "@": [0] + name.utf8.dropFirst()
      default: nil
      }
    // The variables may have been inherited from a parent for which they are meant.
    let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
    watchdogLimit =
      isMeant ? environment["WATCHDOG_USEC"].flatMap { Int64($0) }.map { .microseconds($0) } : nil
  }

  func notify(_ state: State) {
    switch state {
    case .ready: send("READY=1")
    case .reloading:
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      send("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)")
    case .stopping: send("STOPPING=1")
    case .watchdog: send("WATCHDOG=1")
    // A line break would begin another message.
    case .status(let text): send("STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " "))
    }
  }

  /// Pings the service manager at half of its limit for as long as it is subscribed to.
  ///
  /// - Parameters:
  ///   - queue: the queue of the program's results; if it is blocked, no ping is sent.
  ///   - isAlive: no ping is sent while it returns `false`.
  /// - Returns: a sequence that never ends.
  func pings(on queue: any SchedulerType, isAlive: @escaping @Sendable () -> Bool) -> Observable<Never> {
    guard let watchdogLimit else { return .never() }
    let half = RxTimeInterval.microseconds(Int(watchdogLimit / .microseconds(2)))
    return Observable<Int>.interval(half, scheduler: queue)
      .do(onNext: { _ in if isAlive() { notify(.watchdog) } })
      .ignoreElements().asObservable()
  }

  private func send(_ message: String) {
    #if os(Linux)
      var address = sockaddr_un()
      guard let socketName, socketName.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketName) }
      // The length counts: an abstract name has no terminating zero.
      let length = socklen_t(MemoryLayout<sa_family_t>.size + socketName.count)

      let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { return }
      defer { close(descriptor) }
      let bytes = Array(message.utf8)
      _ = withUnsafeBytes(of: address) { raw in
        sendto(
          descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL),
          raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), length)
      }
    #endif
  }
}

internal import CNetworkCoreCurl
internal import Dispatch
internal import Foundation

/// libcurl's multi handle, with the sockets and the time-out that libcurl waits for.
///
/// Only ready sockets are processed: with `curl_multi_perform` and `curl_multi_poll`, the cost of every
/// iteration would grow with the number of transfers. Used on the loop's thread, except for `wake()`.
final class CurlMulti {
  private let curl: UnsafePointer<ccurl_library>
  private let multi: UnsafeMutableRawPointer
  private let reactor: OpaquePointer
  /// The sockets of the handle's connections.
  let sockets: SocketRegistry
  let watchdog: FloodWatchdog
  /// The bytes of the bodies of the transfers that have been removed.
  private(set) var endedBodyBytes: (sent: Int64, received: Int64) = (0, 0)
  private var ready = UnsafeBufferPointer<creactor_event>(start: nil, count: 0)
  /// The handles whose sockets the system could not watch, for example for lack of memory, with the error
  /// number.
  private var unwatched: [(handle: UnsafeMutableRawPointer, reason: CInt)] = []
  /// How many times libcurl has sent more of a body.
  private var sendCount: UInt64 = 0
  /// The time at which libcurl wants to be called even if no socket is ready: 0 for at once, `.max` for
  /// never.
  private var timeout = UInt64.max

  /// Whether libcurl wants to be called although no socket is ready.
  var hasTimeout: Bool { timeout != .max }

  /// Creates a handle.
  ///
  /// - Parameters:
  ///   - curl: libcurl's functions.
  ///   - limits: the limits of the connections.
  ///   - origins: notified of the sockets that close.
  /// - Throws: `CurlUnavailableError` if there is no memory or no file descriptor left.
  init(
    curl: UnsafePointer<ccurl_library>, limits: CurlConfiguration.Connections, origins: OriginQueueTable
  ) throws(CurlUnavailableError) {
    guard let reactor = creactor_make() else {
      throw CurlUnavailableError(
        reason: "a queue for socket events cannot be created: \(String(cString: strerror(errno)))")
    }
    guard let multi = curl.pointee.multi_init() else {
      creactor_free(reactor)
      throw CurlUnavailableError(reason: "curl_multi_init failed")
    }
    self.curl = curl
    self.multi = multi
    self.reactor = reactor
    let open = OpenConnections()
    sockets = SocketRegistry(open, reactor: reactor, origins: origins)
    watchdog = FloodWatchdog(open)
    let connections = limits.limit ?? CurlTransport.connectionLimit
    // When a transfer ends, libcurl would keep only four times as many connections as there are *remaining*
    // transfers: nearly none after a burst.
    _ = ccurl_multi_setopt_long(curl, multi, CCURLMOPT_MAXCONNECTS, connections)
    // Requests beyond this limit wait for a connection instead of failing for lack of a file descriptor.
    _ = ccurl_multi_setopt_long(curl, multi, CCURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
    if let limit = limits.limitPerHost {
      _ = ccurl_multi_setopt_long(curl, multi, CCURLMOPT_MAX_HOST_CONNECTIONS, limit)
    }
    // CURLMOPT_PIPELINING need not be set: several streams on an HTTP/2 connection are its default.
    _ = ccurl_multi_setopt_long(curl, multi, CCURLMOPT_MAX_CONCURRENT_STREAMS, limits.streamLimit)
    // Unretained is sound because the callbacks run only inside calls of this object's methods.
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = ccurl_multi_setopt_pointer(curl, multi, CCURLMOPT_SOCKETDATA, context)
    _ = ccurl_multi_setopt_socket(curl, multi, CCURLMOPT_SOCKETFUNCTION, curlSocketCallback)
    _ = ccurl_multi_setopt_pointer(curl, multi, CCURLMOPT_TIMERDATA, context)
    _ = ccurl_multi_setopt_timer(curl, multi, CCURLMOPT_TIMERFUNCTION, curlTimerCallback)
  }

  /// Adds a handle, which starts with the next `processTimeout(now:)`; returns libcurl's result.
  func add(_ easy: CurlEasy) -> CInt {
    curl.pointee.multi_add_handle(multi, easy.handle)
  }

  /// Removes a handle whose transfer has ended.
  func remove(_ easy: CurlEasy) {
    endedBodyBytes.sent += easy.bodyBytesSent
    endedBodyBytes.received += easy.bodyBytesReceived
    _ = curl.pointee.multi_remove_handle(multi, easy.handle)
  }

  /// Removes a handle in the middle of its transfer, and makes the server notice it at once.
  ///
  /// The connection closes (HTTP/1.1, or HTTP/2 without another stream on it), or else the stream is reset.
  /// libcurl (7.88 and 8.12, but not 8.23) keeps the reset in a buffer until it sends something else. A
  /// connection without another stream would never send it, so it is not kept. For the others see
  /// `CurlEasy.sendBufferedFrames()`.
  func abort(_ easy: CurlEasy) {
    easy.forbidReuse()
    remove(easy)
  }

  /// Waits until a socket is ready, libcurl's time-out or `deadline` has passed, or `wake()` is called.
  ///
  /// - Parameter deadline: in nanoseconds of the loop's clock; 0 only polls which sockets are ready.
  func wait(until deadline: UInt64) {
    var events: UnsafePointer<creactor_event>?
    let count = creactor_wait(reactor, Self.milliseconds(until: min(deadline, timeout)), &events)
    ready = UnsafeBufferPointer(start: events, count: Int(count))
  }

  /// Processes the sockets that `wait` found ready.
  func processSockets() {
    var running: CInt = 0
    for event in ready {
      let before = sendCount
      watchdog.run { _ = curl.pointee.multi_socket_action(multi, event.socket, event.readiness, &running) }
      // With HTTP/2 the other side may have to open its window first; libcurl (7.88) waits for that as for a
      // socket whose buffer is full. 8.12 and newer versions do not. `HTTP2Tests` fails with 7.88 without this.
      if event.readiness == CREACTOR_WRITE, sendCount == before {
        creactor_note_idle_write(reactor, event.socket)
      }
    }
  }

  /// Notes that libcurl has sent more of a body.
  func noteSent() {
    sendCount += 1
  }

  /// Runs libcurl's due work, such as starting the handles that were added.
  func processTimeout(now: UInt64) {
    guard timeout <= now else { return }
    // Before the call, in which libcurl may set the next time-out.
    timeout = .max
    var running: CInt = 0
    watchdog.run {
      _ = curl.pointee.multi_socket_action(multi, CInt(CCURL_SOCKET_TIMEOUT), 0, &running)
    }
  }

  /// Returns the next handle whose transfer has ended, with its `CURLcode`.
  func nextDone() -> (easy: CurlEasy, code: Int)? {
    var code = 0
    while let handle = ccurl_multi_next_done(curl, multi, &code) {
      // PRIVATE is the `CurlEasy`, which the loop keeps alive through its transfer.
      guard let context = ccurl_getinfo_pointer(curl, handle, CCURLINFO_PRIVATE) else { continue }
      return (Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue(), code)
    }
    return nil
  }

  /// Returns the next handle that would wait forever because its socket is not watched; it may have been
  /// removed by now.
  func nextUnwatched() -> (handle: UnsafeMutableRawPointer, reason: CInt)? {
    unwatched.popLast()
  }

  /// Makes `wait` return; may be called on any thread, but not after `close()`.
  func wake() {
    creactor_wake(reactor)
  }

  /// Closes all connections and frees the handle; must be the last call.
  func close() {
    _ = curl.pointee.multi_cleanup(multi)
    // After libcurl, which removes its watches when it closes the sockets.
    creactor_free(reactor)
  }

  private static func milliseconds(until deadline: UInt64) -> CInt {
    if deadline == .max { return -1 }
    if deadline == 0 { return 0 }
    let now = DispatchTime.now().uptimeNanoseconds
    return deadline <= now ? 0 : CInt(clamping: (deadline - now) / 1_000_000 + 1)
  }
}

// libcurl calls these through `CurlCallbacks`; they must not call libcurl.
extension CurlMulti {
  func watch(_ socket: CInt, for interest: CInt, of handle: UnsafeMutableRawPointer) {
    if !creactor_watch(reactor, socket, interest) { unwatched.append((handle, errno)) }
  }

  func setTimeout(milliseconds: Int) {
    switch milliseconds {
    case ..<0: timeout = .max
    case 0: timeout = 0
    default: timeout = DispatchTime.now().uptimeNanoseconds + UInt64(milliseconds) * 1_000_000
    }
  }
}

internal import CCurl
internal import Dispatch
internal import Foundation

/// libcurl's multi handle, and the sockets and the time-out that libcurl says it waits for.
///
/// Only what is ready is looked at: with `curl_multi_perform` and `curl_multi_poll`, every turn would cost as much as
/// there are transfers. Used on the loop's thread, except for `wake()`.
final class CurlMulti {
  private let curl: UnsafePointer<ccurl_library>
  private let multi: UnsafeMutableRawPointer
  private let reactor: OpaquePointer
  /// The sockets of the connections that the handle has.
  let sockets: SocketBook
  let calls = CallWatch()
  private var ready = UnsafeBufferPointer<creactor_event>(start: nil, count: 0)
  /// The handles whose sockets the system did not watch, for instance for want of memory, and its reason.
  private var unwatched: [(handle: UnsafeMutableRawPointer, reason: CInt)] = []
  /// How often more of a body has been sent.
  private var sends: UInt64 = 0
  /// When libcurl wants to be called though no socket is ready: 0 for at once, `.max` for not at all.
  private var timeout = UInt64.max

  /// Makes a handle.
  ///
  /// - Parameters:
  ///   - curl: libcurl's functions.
  ///   - limits: how many connections there may be.
  ///   - origins: what is told of the sockets that close.
  /// - Throws: `CurlUnavailableError` where there is no memory or no descriptor left.
  init(
    curl: UnsafePointer<ccurl_library>, limits: CurlConfiguration.Connections, origins: OriginTable
  ) throws(CurlUnavailableError) {
    guard let reactor = creactor_make() else {
      throw CurlUnavailableError(reason: "nothing to wait with: \(String(cString: strerror(errno)))")
    }
    guard let multi = curl.pointee.multi_init() else {
      creactor_free(reactor)
      throw CurlUnavailableError(reason: "curl_multi_init failed")
    }
    self.curl = curl
    self.multi = multi
    self.reactor = reactor
    sockets = SocketBook(reactor: reactor, calls: calls, origins: origins)
    let connections = limits.limit ?? CurlTransport.connectionLimit
    // libcurl would keep four times as many connections as there are transfers *left* when one ends: after a
    // burst nearly none.
    _ = ccurl_multi_setopt_long(curl, multi, CCURLMOPT_MAXCONNECTS, connections)
    // Requests beyond this wait for a connection instead of failing for want of a descriptor.
    _ = ccurl_multi_setopt_long(curl, multi, CCURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
    if let limit = limits.limitPerHost {
      _ = ccurl_multi_setopt_long(curl, multi, CCURLMOPT_MAX_HOST_CONNECTIONS, limit)
    }
    // CURLMOPT_PIPELINING need not be set: several streams on a connection of HTTP/2 are its default.
    _ = ccurl_multi_setopt_long(curl, multi, CCURLMOPT_MAX_CONCURRENT_STREAMS, limits.streamLimit)
    // Unretained is sound because the callbacks come from inside calls of this object's methods alone.
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = ccurl_multi_setopt_pointer(curl, multi, CCURLMOPT_SOCKETDATA, context)
    _ = ccurl_multi_setopt_socket(curl, multi, CCURLMOPT_SOCKETFUNCTION, curlWatchesSocket)
    _ = ccurl_multi_setopt_pointer(curl, multi, CCURLMOPT_TIMERDATA, context)
    _ = ccurl_multi_setopt_timer(curl, multi, CCURLMOPT_TIMERFUNCTION, curlSetsTimeout)
  }

  /// Puts a handle on the wire, with the next `serveTimeout(now:)`; returns libcurl's result.
  func add(_ easy: CurlEasy) -> CInt {
    curl.pointee.multi_add_handle(multi, easy.handle)
  }

  /// Takes a handle off the wire whose transfer is over.
  func remove(_ easy: CurlEasy) {
    _ = curl.pointee.multi_remove_handle(multi, easy.handle)
  }

  /// Takes a handle off the wire in the middle of its transfer, so that the server sees it at once.
  ///
  /// The connection closes (HTTP/1.1, or HTTP/2 without another stream on it), or else the stream is reset. libcurl
  /// (7.88) leaves the reset in a buffer until something else is sent, so that a connection without another stream
  /// would not send it: it is not kept. For the others see `CurlEasy.flushConnection()`.
  func abort(_ easy: CurlEasy) {
    easy.forbidReuse()
    remove(easy)
  }

  /// Waits until sockets are ready, libcurl's time-out or `deadline` has come, or `wake()` is called.
  ///
  /// - Parameter deadline: in nanoseconds of the loop's clock; 0 only asks which sockets are ready.
  func wait(until deadline: UInt64) {
    var events: UnsafePointer<creactor_event>?
    let count = creactor_wait(reactor, Self.milliseconds(until: min(deadline, timeout)), &events)
    ready = UnsafeBufferPointer(start: events, count: Int(count))
  }

  /// Serves the sockets that `wait` found.
  func serveSockets() {
    var running: CInt = 0
    for event in ready {
      let before = sends
      calls.within { _ = curl.pointee.multi_socket_action(multi, event.socket, event.readiness, &running) }
      // Over HTTP/2 the other side may have to give leave first, for which libcurl (7.88) waits as for a socket that is full.
      if event.readiness == CREACTOR_WRITE, sends == before { creactor_wrote_nothing(reactor, event.socket) }
    }
  }

  /// More of a body has been sent.
  func noteSent() {
    sends += 1
  }

  /// Serves what libcurl wanted to do by now, such as beginning with the handles that were added.
  func serveTimeout(now: UInt64) {
    guard timeout <= now else { return }
    // Before the call, in which libcurl may ask for the next one.
    timeout = .max
    var running: CInt = 0
    calls.within {
      _ = curl.pointee.multi_socket_action(multi, CInt(CCURL_SOCKET_TIMEOUT), 0, &running)
    }
  }

  /// The next handle whose transfer has ended, with its `CURLcode`.
  func nextDone() -> (easy: CurlEasy, code: Int)? {
    var code = 0
    while let handle = ccurl_multi_next_done(curl, multi, &code) {
      // PRIVATE is the `CurlEasy`, which the loop keeps alive through its transfer.
      guard let context = ccurl_getinfo_pointer(curl, handle, CCURLINFO_PRIVATE) else { continue }
      return (Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue(), code)
    }
    return nil
  }

  /// The next handle that would wait for ever, since its socket is not watched; it may be gone by now.
  func nextUnwatched() -> (handle: UnsafeMutableRawPointer, reason: CInt)? {
    unwatched.popLast()
  }

  /// Makes `wait` return; for any thread, but not after `close()`.
  func wake() {
    creactor_wake(reactor)
  }

  /// Closes all connections and gives up what the handle holds; the last call.
  func close() {
    _ = curl.pointee.multi_cleanup(multi)
    // After libcurl, which ends its watches as it closes the sockets.
    creactor_free(reactor)
  }

  private static func milliseconds(until deadline: UInt64) -> CInt {
    if deadline == .max { return -1 }
    if deadline == 0 { return 0 }
    let now = DispatchTime.now().uptimeNanoseconds
    return deadline <= now ? 0 : CInt(clamping: (deadline - now) / 1_000_000 + 1)
  }
}

// Called by libcurl, through `CurlCallbacks`; nothing here may call it back.
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

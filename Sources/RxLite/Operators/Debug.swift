import ReactiveNetworkLock
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension ObservableType {
  /// Writes a line for the subscription, each event and the disposal to `Hooks.debugOutput`.
  ///
  /// - Parameters:
  ///   - identifier: the name of the sequence; by default its place in the source code.
  ///   - trimOutput: whether to cut the middle out of events that are longer than 40 characters.
  ///   - file: the file of the call.
  ///   - line: the line of the call.
  ///   - function: the function of the call.
  /// - Returns: the same sequence.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> Observable<Element> {
    let source = asObservable().source
    let name = identifier ?? "\(file[file.afterLastSlash...]):\(line) (\(function))"
    return Observable { observer in
      let isDisposed = Atomic(false)
      func log(_ content: String) { Hooks.debugOutput("\(timestamp()): \(name) -> \(content)") }
      func logDisposal() {
        if !isDisposed.exchange(true, ordering: .relaxed) { log("isDisposed") }
      }
      log("subscribed")
      let upstream = source(
        observer.calling { event in
          if isDisposed.load(ordering: .relaxed) { return }
          let text = "\(event)"
          log("Event \(trimOutput ? text.withoutMiddle(40) : text)")
          observer.on(event)
          if event.isStopEvent { logDisposal() }
        })
      return AnonymousDisposable {
        logDisposal()
        upstream.dispose()
      }
    }
  }
}

extension Hooks {
  // A struct, because each reading of a bare closure from the lock would wrap it in another thunk.
  private struct Output {
    var write: @Sendable (String) -> Void = { print($0) }
  }

  private static let output = Lock(Output())

  /// Receives the lines of `debug`; the default prints them.
  public static var debugOutput: @Sendable (String) -> Void {
    get { output.withLock { $0.write } }
    // The old closure is released outside the lock, because that may run user code.
    set { _ = output.withLock { exchange(&$0.write, with: newValue) } }
  }
}

extension String {
  fileprivate var afterLastSlash: Index { lastIndex(of: "/").map(index(after:)) ?? startIndex }

  /// Returns the text without its middle if it is longer than `limit`.
  fileprivate func withoutMiddle(_ limit: Int) -> String {
    count > limit ? "\(prefix(limit / 2))...\(suffix(limit / 2))" : self
  }
}

/// Returns the local time as `2026-11-21 03:04:05.678`, without the formatters of Foundation.
private func timestamp() -> String {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  var parts = tm()
  localtime_r(&now.tv_sec, &parts)
  func padded(_ number: some BinaryInteger, _ width: Int = 2) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
  let day = "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
  let time = "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))"
  return "\(day) \(time).\(padded(now.tv_nsec / 1_000_000, 3))"
}

import Foundation

/// A WebSocket client under test.
///
/// Each method blocks the calling thread.
protocol Client {
  /// Sends messages to the echo server, several at a time, and another one for each that comes back.
  ///
  /// - Returns: the number of messages that came back before the time was up.
  func echo(_ load: EchoLoad) throws -> Int

  /// Opens WebSockets that stay open until the process ends; returns when all are open.
  func hold(_ count: Int) throws

  /// Opens a WebSocket and begins to send a message of `size` bytes, or none if it is 0.
  ///
  /// - Returns: a closure that closes the WebSocket at once.
  func open(sending size: Int) throws -> () -> Void
}

/// What the echo of a client is measured with.
struct EchoLoad {
  /// The size of a message in bytes.
  var size: Int
  /// The number of messages that are under way.
  var inFlight: Int
  /// Whether the messages are compressed.
  var compresses = false
  /// The duration.
  var seconds: Double

  var path: String { compresses ? "/deflate" : "/echo" }

  /// The bytes of a message: JSON, which can be compressed.
  var payload: Data {
    let object =
      #"{"type":"trade","symbol":"BTC-USD","price":64213.55,"size":0.0125,"side":"buy","sequence":81723},"#
    return Data(object.utf8.cycled(count: size))
  }
}

extension Collection where Element == UInt8 {
  /// Repeats the bytes until there are `count` of them.
  fileprivate func cycled(count: Int) -> [UInt8] {
    Array(repeatElement(Array(self), count: count / self.count + 1).joined().prefix(count))
  }
}

/// The number of WebSockets that a client opens at the same time.
let openingAtOnce = 64

/// The reason why a client cannot be measured.
enum ClientError: Error {
  case connection(String)
}

/// Opens `count` WebSockets, `openingAtOnce` at a time, and waits until all are open.
///
/// - Parameters:
///   - count: the number.
///   - open: opens one; calls its argument when it is open.
func openAll(_ count: Int, open: (_ opened: @escaping @Sendable () -> Void) -> Void) {
  let places = DispatchSemaphore(value: openingAtOnce)
  for _ in 0..<count {
    places.wait()
    open { places.signal() }
  }
  for _ in 0..<openingAtOnce { places.wait() }
}

/// Runs an asynchronous function and waits for it.
func runBlocking<Value>(_ body: @escaping () async throws -> Value) throws -> Value {
  let done = DispatchSemaphore(value: 0)
  nonisolated(unsafe) var result: Result<Value, any Error>?
  nonisolated(unsafe) let work = body
  Task.detached {
    do { result = .success(try await work()) } catch { result = .failure(error) }
    done.signal()
  }
  done.wait()
  guard let result else { throw ClientError.connection("no result") }
  return try result.get()
}

/// The nanoseconds of the monotonic clock, which the echo server uses as well.
func nanoseconds() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

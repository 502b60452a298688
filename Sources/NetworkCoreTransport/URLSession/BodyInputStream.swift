package import Foundation
internal import ReactiveNetworkLock

/// A request body as Foundation's stream, for `URLSession`; a read waits for bytes.
///
/// FoundationNetworking treats a stream without available bytes as ended, so `hasBytesAvailable` is always
/// `true`.
///
/// Only the thread that reads the stream accesses `bodyReader`. The lock guards all other mutable state, so
/// that `close()` may be called on another thread.
package final class BodyInputStream: InputStream {
  private struct State {
    var status = Stream.Status.notOpen
    var failure: TransferError?
  }

  private let state = Lock(State())
  private let semaphore: DispatchSemaphore
  private var bodyReader: RequestBodyReader

  package init(_ request: TransportRequest) throws(TransferError) {
    let semaphore = DispatchSemaphore(value: 0)
    self.semaphore = semaphore
    bodyReader = try RequestBodyReader(
      request,
      onBytesAvailable: {
        semaphore.signal()
      })
    super.init(data: Data())
  }

  /// The reason why the body could not be read.
  package var failure: TransferError? { state.withLock { $0.failure } }

  package override var streamStatus: Stream.Status { state.withLock { $0.status } }
  package override var streamError: (any Error)? { failure }
  package override var hasBytesAvailable: Bool { true }

  package override func open() {
    state.withLock { $0.status = .open }
  }

  /// Also called on another thread, to end a waiting read.
  package override func close() {
    state.withLock { $0.status = .closed }
    semaphore.signal()
  }

  package override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
    do throws(TransferError) {
      while streamStatus != .closed {
        if let count = try bodyReader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
        {
          if count == 0 { state.withLock { $0.status = .atEnd } }
          return count
        }
        semaphore.wait()
      }
      return -1
    } catch {
      state.withLock { state in
        state.status = .error
        state.failure = error
      }
      return -1
    }
  }

  package override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
  ) -> Bool {
    false
  }
}

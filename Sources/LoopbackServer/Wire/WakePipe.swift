#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A pipe with which other threads wake a thread that waits in `poll`.
///
/// It closes its descriptors when it is released, so no thread can write to a closed descriptor.
final class WakePipe: Sendable {
  let readEnd: Int32
  private let writeEnd: Int32

  init() throws(LoopbackServer.SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .last("pipe") }
    readEnd = ends[0]
    writeEnd = ends[1]
    makeNonBlocking(readEnd)
    makeNonBlocking(writeEnd)
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Wakes the waiting thread; if the pipe is full, a wake-up is already pending.
  func wake() {
    var byte: UInt8 = 1
    _ = write(writeEnd, &byte, 1)
  }

  /// Waits for a wake-up or until the time is over, and discards all wake-ups so far.
  func wait(nanoseconds: UInt64) {
    var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    poll(&entry, 1, milliseconds(nanoseconds))
    drain()
  }

  func drain() {
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { bytes in
      while read(readEnd, bytes.baseAddress, bytes.count) == bytes.count {}
    }
  }
}

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A pipe by which other threads wake one that waits in `poll`.
///
/// It closes its descriptors when the last who could write to it is gone, never under somebody's hands.
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

  /// Wakes who waits; where the pipe is full, somebody has done so already.
  func wake() {
    var byte: UInt8 = 1
    _ = write(writeEnd, &byte, 1)
  }

  /// Waits until woken or for so long, and forgets all wake-ups up to now.
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

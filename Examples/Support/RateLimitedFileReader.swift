import Dispatch
package import ReactiveNetwork

/// Reads a file from an offset to its end, at a limited rate.
package final class RateLimitedFileReader: BodyReader {
  private let file: FileHandle
  private let rate: Int?
  private let onBytesAvailable: @Sendable () -> Void
  private let start = ContinuousClock.now
  private var count = 0

  package init(_ url: URL, from offset: Int64, rate: Int?, onBytesAvailable: @escaping @Sendable () -> Void)
    throws
  {
    file = try FileHandle(forReadingFrom: url)
    try file.seek(toOffset: UInt64(offset))
    (self.rate, self.onBytesAvailable) = (rate, onBytesAvailable)
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
    var size = buffer.count
    if let rate {
      let due = Int((ContinuousClock.now - start) / .seconds(1) * Double(rate)) + rate / 50 - count
      size = min(size, due)
      guard size > 0 else {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20), execute: onBytesAvailable)
        return nil
      }
    }
    let data = try file.read(upToCount: size) ?? Data()
    data.copyBytes(to: buffer)
    count += data.count
    return data.count
  }
}

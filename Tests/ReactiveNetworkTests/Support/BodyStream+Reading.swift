import Dispatch
import NetworkCore

extension BodyStream {
  /// Reads the body, as a transport does that sends it; its errors do not matter.
  func read() {
    let available = DispatchSemaphore(value: 0)
    var bytes = [UInt8](repeating: 0, count: 1_024)
    bytes.withUnsafeMutableBytes { buffer in
      guard let reader = try? open(prepare(), onBytesAvailable: { available.signal() }) else { return }
      do {
        var count: Int?
        repeat {
          count = try reader.read(into: buffer)
          if count == nil { available.wait() }
        } while count != 0
      } catch {}
    }
  }
}

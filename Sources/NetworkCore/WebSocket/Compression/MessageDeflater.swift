/// Compresses the messages of a WebSocket (RFC 7692, section 7.2.1), one after the other.
struct MessageDeflater {
  /// Messages with fewer bytes are sent as they are, because they would become longer.
  private static let minimumCount = 64

  private let parameters: PerMessageDeflate
  /// Takes 256 KiB, so it is created for the first message.
  private var stream: DeflateStream?

  init(_ parameters: PerMessageDeflate) {
    self.parameters = parameters
  }

  /// Returns the compressed message; `nil` if it must be sent as it is.
  mutating func compress(_ message: UnsafeRawBufferPointer) -> [UInt8]? {
    guard message.count >= Self.minimumCount else { return nil }
    // zlib cannot compress with the smallest window that a server may ask for.
    stream = stream ?? DeflateStream(compressing: true, windowBits: parameters.clientWindowBits)
    guard let stream else { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(message.count / 2)
    let isValid = stream.process(message) { output.append(contentsOf: $0) }
    // The empty block that ends each message is not sent.
    let isCompressed = isValid && output.suffix(4).elementsEqual(DeflateStream.end)
    if !isCompressed || !parameters.clientKeepsContext { stream.reset() }
    return isCompressed ? output.dropLast(4) : nil
  }

  /// Forgets the messages so far, because the server will not receive the last one.
  func reset() { stream?.reset() }
}

public import Foundation

extension BodyStream {
  /// Makes a body of Foundation's stream, which is opened, read once on a background queue and closed.
  ///
  /// Nobody else may use the stream from now on. A `read` that waits for bytes holds up this body alone, and so does a
  /// stream that has none at the moment. One that goes on for a second to answer 0 while it says that it is open and
  /// has nothing available counts as at its end, unless a length that has not been reached was announced.
  ///
  /// - Parameters:
  ///   - stream: the stream, not yet read from.
  ///   - length: the bytes there are in all; `nil` where that is not known.
  public convenience init(_ stream: InputStream, length: Int64? = nil) {
    // The body has the stream to itself, and opens it once.
    nonisolated(unsafe) let stream = stream
    self.init(length: length, isRepeatable: false) { more in
      ReadAhead(InputStreamPieces(stream, awaitsLength: length != nil), more: more)
    }
  }
}

/// The pieces of a Foundation stream, which is opened for the first one.
private final class InputStreamPieces: PieceSource {
  private static let size = 65_536
  private static let pause = DispatchTimeInterval.milliseconds(10)
  /// How many pauses in a row a stream of unknown length may make before it counts as at its end.
  private static let patience = 100

  private let stream: InputStream
  private let awaitsLength: Bool
  private var pauses = 0

  init(_ stream: InputStream, awaitsLength: Bool) {
    self.stream = stream
    self.awaitsLength = awaitsLength
  }

  func next() throws(TransferError) -> ReadAhead.Piece {
    if stream.streamStatus == .notOpen { stream.open() }
    let wasAvailable = stream.hasBytesAvailable
    var result = 0
    let piece = [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, count in
      if let start = buffer.baseAddress { result = stream.read(start, maxLength: buffer.count) }
      count = max(0, result)
    }
    let isOpen = [.opening, .open, .reading].contains(stream.streamStatus)
    if result == 0, isOpen, !wasAvailable, awaitsLength || pauses < Self.patience {
      pauses += 1
      return .none(retryAfter: Self.pause)
    }
    pauses = 0
    // Asked for an error only where there is one: FoundationNetworking's stream traps where there is none.
    if result < 0 || stream.streamStatus == .error {
      throw .cannotReadBody(reason: stream.streamError?.localizedDescription ?? "the stream failed")
    }
    return .bytes(piece, isLast: false)
  }

  func close() { stream.close() }
}

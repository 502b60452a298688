public import Foundation

extension BodyStream {
  /// Makes a body of Foundation's stream, which is opened, read once on background threads and closed.
  ///
  /// No other code may use the stream from now on. A `read` that waits for bytes holds up this body alone, as long as no
  /// more than 64 such bodies of the process wait at a time: further ones wait for these. A stream that has none at the moment
  /// holds up its body alone. One that goes on for a second to answer 0 while it says that it is open and
  /// has nothing available counts as at its end, unless a length that has not been reached was announced.
  ///
  /// - Parameters:
  ///   - stream: the stream, not yet read from.
  ///   - length: the bytes there are in all; `nil` where that is not known.
  public convenience init(_ stream: InputStream, length: Int64? = nil) {
    // The body has the stream to itself, and opens it once.
    nonisolated(unsafe) let stream = stream
    self.init(length: length, isRepeatable: false) { more in
      ReadAhead(InputStreamPieces(stream, awaitsLength: length != nil), on: .streams, more: more)
    }
  }
}

/// The pieces of a Foundation stream, which is opened for the first one.
private final class InputStreamPieces: PieceSource {
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

  var pieceSize: Int { 65_536 }

  func next(into buffer: UnsafeMutableRawBufferPointer) throws(TransferError) -> ReadAhead.Piece {
    if stream.streamStatus == .notOpen { stream.open() }
    let wasAvailable = stream.hasBytesAvailable
    let bytes = buffer.bindMemory(to: UInt8.self)
    let result = bytes.baseAddress.map { stream.read($0, maxLength: bytes.count) } ?? 0
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
    guard result <= buffer.count else {
      throw .cannotReadBody(reason: "its stream says \(result) bytes are in a buffer of \(buffer.count)")
    }
    return .bytes(result, isLast: false)
  }

  func close() { stream.close() }
}

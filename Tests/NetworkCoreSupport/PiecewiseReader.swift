import Foundation
import ReactiveNetworkLock
import NetworkCore

/// A body in pieces; before each piece except the first it has no data until `onBytesAvailable` has been
/// called on another thread.
final class PiecewiseReader: BodyReader {
  struct Failure: Error {}

  private var pieces: [Data]
  private let failure: Failure?
  private let onBytesAvailable: @Sendable () -> Void
  private var mustWait = false
  private let hasGaps: Bool

  init(
    _ pieces: [Data], gaps: Bool, failure: Failure? = nil, onBytesAvailable: @escaping @Sendable () -> Void
  ) {
    self.pieces = pieces
    self.failure = failure
    self.onBytesAvailable = onBytesAvailable
    hasGaps = gaps
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
    if mustWait {
      mustWait = false
      DispatchQueue.global().async(execute: onBytesAvailable)
      return nil
    }
    guard let piece = pieces.first else {
      if let failure { throw failure }
      return 0
    }
    let count = piece.copyBytes(to: buffer)
    pieces[0] = Data(piece.dropFirst(count))
    if pieces[0].isEmpty {
      pieces.removeFirst()
      mustWait = hasGaps
    }
    return count
  }
}

extension BodyStream {
  /// A body in pieces with gaps between them.
  convenience init(
    pieces: [Data], length: Int64? = nil, isRepeatable: Bool = true, gaps: Bool = true, fails: Bool = false
  ) {
    self.init(length: length, isRepeatable: isRepeatable) { onBytesAvailable in
      PiecewiseReader(pieces, gaps: gaps, failure: fails ? .init() : nil, onBytesAvailable: onBytesAvailable)
    }
  }
}

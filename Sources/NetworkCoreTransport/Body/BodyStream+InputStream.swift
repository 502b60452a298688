internal import Dispatch
public import Foundation
internal import ReactiveNetworkLock

extension BodyStream {
  /// Creates a body from Foundation's stream, which is opened, read once on background threads and closed.
  ///
  /// No other code may use the stream afterwards. A stream that has no bytes at the moment delays only its own
  /// body. A stream that keeps returning 0 for a second, although it is open and has nothing available, counts
  /// as ended, unless `length` is given and has not been reached.
  ///
  /// A transfer that would read the same stream again, also through another body, ends with
  /// `TransferError.cannotRepeatBody`.
  ///
  /// - Parameters:
  ///   - stream: the stream, not yet read from.
  ///   - length: the length of the body in bytes; `nil` if unknown.
  public convenience init(_ stream: InputStream, length: Int64? = nil) {
    // `claim` allows one reader alone to use the stream.
    nonisolated(unsafe) let stream = stream
    let content = Content(length: length) { onBytesAvailable in
      guard InputStreamReader.claim(stream) else { return nil }
      return InputStreamReader(stream, length: length, onBytesAvailable: onBytesAvailable)
    }
    self.init(content, isRepeatable: false, mayBlock: true)
  }
}

/// Reads a Foundation stream, which it opens and closes.
private final class InputStreamReader: BodyReader {
  private static let pause = DispatchTimeInterval.milliseconds(10)
  /// The number of consecutive pauses after which a stream counts as ended.
  private static let pauseLimit = 100
  /// Measures the pauses.
  private static let pauses = DispatchQueue(label: "NetworkCore.body.pauses")
  /// The streams of the living readers.
  ///
  /// A reader retains its stream, so no other stream has its identity.
  private static let streamsInUse = Lock(Set<ObjectIdentifier>())

  private let stream: InputStream
  private let onBytesAvailable: @Sendable () -> Void
  private var pauses = 0
  /// The number of bytes without which the stream has not ended; 0 or less if its length is unknown or reached.
  private var missing: Int64

  init(_ stream: InputStream, length: Int64?, onBytesAvailable: @escaping @Sendable () -> Void) {
    self.stream = stream
    missing = length ?? 0
    self.onBytesAvailable = onBytesAvailable
  }

  deinit {
    stream.close()
    Self.release(stream)
  }

  /// Reserves a stream for one reader; returns `false` if another one reads it or has read it.
  ///
  /// A target may create a new body from the same stream each time it is asked for its task, so the body cannot
  /// know.
  static func claim(_ stream: InputStream) -> Bool {
    guard streamsInUse.withLock({ $0.insert(ObjectIdentifier(stream)).inserted }) else { return false }
    let isUnread = [.notOpen, .opening, .open, .error].contains(stream.streamStatus)
    if !isUnread { release(stream) }
    return isUnread
  }

  private static func release(_ stream: InputStream) {
    streamsInUse.withLock { _ = $0.remove(ObjectIdentifier(stream)) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransferError) -> Int? {
    if stream.streamStatus == .notOpen { stream.open() }
    let wasAvailable = stream.hasBytesAvailable
    let bytes = buffer.bindMemory(to: UInt8.self)
    let result = bytes.baseAddress.map { stream.read($0, maxLength: bytes.count) } ?? 0
    let isOpen = [.opening, .open, .reading].contains(stream.streamStatus)
    if result == 0, isOpen, !wasAvailable, missing > 0 || pauses < Self.pauseLimit {
      pauses += 1
      Self.pauses.asyncAfter(deadline: .now() + Self.pause, execute: onBytesAvailable)
      return nil
    }
    pauses = 0
    // Read only if there is an error: FoundationNetworking's stream traps if there is none.
    let failure = stream.streamStatus == .error ? stream.streamError : nil
    if result < 0 || stream.streamStatus == .error {
      throw .cannotReadBody(reason: failure?.localizedDescription ?? "the stream failed")
    }
    guard result <= buffer.count else {
      throw .cannotReadBody(reason: "its stream reported \(result) bytes in a buffer of \(buffer.count)")
    }
    missing -= Int64(result)
    return result
  }
}

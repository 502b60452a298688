internal import Locking

/// A request body that is read piece by piece while it is sent, so that its size costs no memory.
///
/// ```swift
/// let body = BodyStream(length: 3_000_000) { _ in try Export(table: "people") }
/// let request = TransportRequest(method: .put, url: url, body: .stream(body))
/// ```
///
/// A reader is opened for each attempt: a redirect (307, 308) or a server that asks for credentials has the body sent
/// again. Without a length the body is sent in chunks (HTTP/1.1, RFC 9112, section 7.1), or with the length that a
/// `Content-Length` field of the request announces. A reader that gives more or less than was announced ends the
/// transfer with `TransferError.wrongBodyLength` before the server has seen a whole request.
///
/// Two streams are equal when they are the same object.
public final class BodyStream: Sendable {
  /// Opens a reader; it is called, and the reader used, on one thread at a time, which it must not block.
  ///
  /// The reader calls `more`, on any thread, once it has bytes again or has come to its end after its `read` had
  /// answered `nil`. An error thrown here ends the transfer.
  public typealias Opening = @Sendable (_ more: @escaping @Sendable () -> Void) throws -> any BodyReader

  /// What is known of a body before its first byte is read.
  package struct Content: Sendable {
    /// The bytes there are in all; `nil` where that is not known.
    package let length: Int64?
    /// Opens a reader.
    let opening: Opening
  }

  private enum Source {
    case content(Content)
    case preparation(@Sendable () throws(TransferError) -> Content)
  }

  /// Whether a reader can be opened more than once.
  public let isRepeatable: Bool
  private let source: Source
  private let isSpent = Lock(false)

  /// Makes a body.
  ///
  /// - Parameters:
  ///   - length: the bytes there are in all, 0 or more; `nil` where that is not known.
  ///   - isRepeatable: whether a reader can be opened more than once; where it cannot, a transfer that has to send
  ///     the body again ends with `TransferError.cannotRepeatBody`.
  ///   - opening: opens a reader.
  public init(length: Int64? = nil, isRepeatable: Bool = true, opening: @escaping Opening) {
    self.isRepeatable = isRepeatable
    source = .content(Content(length: length, opening: opening))
  }

  /// Makes a body whose length takes a while to find, as that of a form with files.
  ///
  /// - Parameters:
  ///   - isRepeatable: whether a reader can be opened more than once.
  ///   - prepare: finds the length; called before each transfer, on a thread that it may block.
  init(isRepeatable: Bool, prepare: @escaping @Sendable () throws(TransferError) -> Content) {
    self.isRepeatable = isRepeatable
    source = .preparation(prepare)
  }

  /// The bytes there are in all; `nil` where that is not known, or only once the body is sent.
  public var length: Int64? {
    if case .content(let content) = source { content.length } else { nil }
  }

  /// Whether `prepare()` may block.
  var needsPreparation: Bool {
    if case .preparation = source { true } else { false }
  }

  /// Finds out what is sent.
  package func prepare() throws(TransferError) -> Content {
    switch source {
    case .content(let content): content
    case .preparation(let prepare): try prepare()
    }
  }

  /// Opens a reader; `nil` where one has been opened before and there can be no other.
  package func open(
    _ content: Content, more: @escaping @Sendable () -> Void
  ) throws -> (any BodyReader)? {
    let mayOpen = isSpent.withLock { isSpent in
      defer { isSpent = true }
      return isRepeatable || !isSpent
    }
    return mayOpen ? try content.opening(more) : nil
  }
}

extension BodyStream: Hashable {
  /// Whether both are the same object.
  public static func == (left: BodyStream, right: BodyStream) -> Bool { left === right }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

/// Gives the bytes of a body, from its first to its last.
public protocol BodyReader: AnyObject {
  /// Fills a buffer with the next bytes, as many as are at hand.
  ///
  /// - Parameter buffer: where the bytes go; never empty.
  /// - Returns: how many bytes were written, 0 at the end of the body; `nil` where there are none yet, after which
  ///   `more` must be called (see `BodyStream.Opening`).
  /// - Throws: why the body cannot be read; the transfer ends with `TransferError.cannotReadBody`, or with the error
  ///   itself where it is a `TransferError`.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int?
}

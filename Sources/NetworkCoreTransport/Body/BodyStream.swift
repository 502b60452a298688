internal import ReactiveNetworkLock

/// A request body that is read piece by piece while it is sent, so that its size costs no memory.
///
/// ```swift
/// let body = BodyStream(length: 3_000_000) { _ in try Export(table: "people") }
/// let request = TransportRequest(method: .put, url: url, body: .stream(body))
/// ```
///
/// A reader is opened for each attempt: after a redirect (307, 308), or if a server requests credentials, the
/// body is sent again. A body without a length is sent in chunks (HTTP/1.1, RFC 9112, section 7.1), or with
/// the length that a `Content-Length` field of the request announces. If a reader returns more or fewer bytes
/// than announced, the transfer ends with `TransferError.wrongBodyLength` before the server has received a
/// whole request.
///
/// Two streams are equal if they are the same object.
public final class BodyStream: Sendable {
  /// Opens a reader.
  ///
  /// The closure and its reader are called on background threads, one call of a reader at a time. The closure may
  /// be called while an earlier reader is still in a call, for an attempt that has ended, so readers must not share
  /// a file's position or other state. They may block: this
  /// delays only their own body, as long as no more than 64 bodies of the process block at a time; further
  /// ones wait for these. The reader is read ahead of what is sent, by at most two buffers of 64 KiB.
  ///
  /// If its `read` has returned `nil`, the reader must call `onBytesAvailable`, on any thread, once
  /// it has bytes again or has reached its end. An error thrown here ends the transfer.
  public typealias Opening =
    @Sendable (_ onBytesAvailable: @escaping @Sendable () -> Void) throws -> any BodyReader

  /// The properties of a body that are known before its first byte is read.
  package struct Content: Sendable {
    /// The length of the body in bytes; `nil` if unknown.
    package let length: Int64?
    /// Opens a reader; returns `nil` if the bytes can be read only once and have been read.
    package let opening:
      @Sendable (_ onBytesAvailable: @escaping @Sendable () -> Void) throws -> (any BodyReader)?

    package init(
      length: Int64?,
      opening:
        @escaping @Sendable (_ onBytesAvailable: @escaping @Sendable () -> Void) throws -> (any BodyReader)?
    ) {
      self.length = length
      self.opening = opening
    }
  }

  private enum Source {
    case content(Content)
    case preparation(@Sendable () throws(TransferError) -> Content)
  }

  /// Whether a reader can be opened more than once.
  public let isRepeatable: Bool
  /// Whether opening and reading may block.
  let mayBlock: Bool
  private let source: Source
  private let isSpent = Lock(false)

  /// Creates a body.
  ///
  /// - Parameters:
  ///   - length: the length of the body in bytes, 0 or more; `nil` if unknown.
  ///   - isRepeatable: whether a reader can be opened more than once. If it cannot, a transfer that has to
  ///     send the body again ends with `TransferError.cannotRepeatBody`.
  ///   - opening: opens a reader.
  public init(length: Int64? = nil, isRepeatable: Bool = true, opening: @escaping Opening) {
    self.isRepeatable = isRepeatable
    mayBlock = true
    source = .content(Content(length: length, opening: opening))
  }

  /// Creates a body whose reader never blocks, unless `mayBlock` is `true`.
  package init(_ content: Content, isRepeatable: Bool, mayBlock: Bool = false) {
    self.isRepeatable = isRepeatable
    self.mayBlock = mayBlock
    source = .content(content)
  }

  /// Creates a body whose length takes time to find, such as a form with files, and whose reader never blocks.
  ///
  /// - Parameters:
  ///   - isRepeatable: whether a reader can be opened more than once.
  ///   - prepare: finds the length; called before each transfer, on a thread that it may block.
  package init(isRepeatable: Bool, prepare: @escaping @Sendable () throws(TransferError) -> Content) {
    self.isRepeatable = isRepeatable
    mayBlock = false
    source = .preparation(prepare)
  }

  /// The length of the body in bytes; `nil` if it is unknown, or known only when the body is sent.
  public var length: Int64? {
    if case .content(let content) = source { content.length } else { nil }
  }

  /// Whether `prepare()` may block.
  package var needsPreparation: Bool {
    if case .preparation = source { true } else { false }
  }

  /// Returns the length of the body and the closure that opens a reader.
  package func prepare() throws(TransferError) -> Content {
    switch source {
    case .content(let content): content
    case .preparation(let prepare): try prepare()
    }
  }

  /// Opens a reader; `nil` if the body can be read only once and a reader has been opened before.
  package func open(
    _ content: Content, onBytesAvailable: @escaping @Sendable () -> Void
  ) throws -> (any BodyReader)? {
    let wasSpent = isSpent.withLock { exchange(&$0, with: true) }
    return try isRepeatable || !wasSpent ? content.opening(onBytesAvailable) : nil
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

/// Provides the bytes of a body, from first to last.
public protocol BodyReader: AnyObject {
  /// Fills a buffer with the next bytes, as many as are available.
  ///
  /// - Parameter buffer: receives the bytes; never empty.
  /// - Returns: the number of bytes written, 0 at the end of the body; `nil` if none are available yet, after
  ///   which `onBytesAvailable` must be called (see `BodyStream.Opening`).
  /// - Throws: the reason why the body cannot be read. The transfer ends with `TransferError.cannotReadBody`,
  ///   or with the error itself if it is a `TransferError`.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int?
}

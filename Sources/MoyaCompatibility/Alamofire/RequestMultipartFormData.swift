public import Foundation

/// A form that is assembled part by part, with Alamofire's methods.
///
/// ```swift
/// let form = RequestMultipartFormData()
/// form.append(Data("Lorem".utf8), withName: "title")
/// form.append(picture, withName: "picture")
/// let task = HTTPTask.uploadMultipartFormData(form.form)
/// ```
///
/// Pass the property `form` to a task. Its files and streams are read while they are sent. Only one thread at
/// a time may use an instance.
open class RequestMultipartFormData {
  /// Alamofire's size limit for encoding a form in memory; has no effect, because forms are never written to
  /// files first.
  public static let encodingMemoryThreshold: UInt64 = 10_000_000

  /// The current form.
  public private(set) var form: MultipartFormData

  /// Creates a form without parts.
  ///
  /// - Parameters:
  ///   - fileManager: not used, because files are read with system calls.
  ///   - boundary: the boundary between the parts; `nil` for a random one.
  public init(fileManager: FileManager = .default, boundary: String? = nil) {
    form = MultipartFormData(boundary: boundary, parts: [])
  }

  /// The boundary between the parts.
  public var boundary: String { form.delimiter }
  /// The `Content-Type` of the body.
  open var contentType: String { form.contentType }
  /// The number of bytes in all parts, without heads and boundaries; 0 if the length of a part is not known.
  public var contentLength: UInt64 { form.contentLength ?? 0 }

  /// Adds bytes in memory.
  ///
  /// - Parameters:
  ///   - data: the bytes.
  ///   - name: the name of the form's field.
  ///   - fileName: the file name to send.
  ///   - mimeType: the media type.
  public func append(_ data: Data, withName name: String, fileName: String? = nil, mimeType: String? = nil) {
    add(.init(provider: .data(data), name: name, fileName: fileName, mimeType: mimeType))
  }

  /// Adds a file under its own name, with the media type of its extension.
  ///
  /// - Parameters:
  ///   - fileURL: the file.
  ///   - name: the name of the form's field.
  public func append(_ fileURL: URL, withName name: String) {
    add(.init(provider: .file(fileURL), name: name))
  }

  /// Adds a file.
  ///
  /// - Parameters:
  ///   - fileURL: the file.
  ///   - name: the name of the form's field.
  ///   - fileName: the file name to send.
  ///   - mimeType: the media type.
  public func append(_ fileURL: URL, withName name: String, fileName: String, mimeType: String) {
    add(.init(provider: .file(fileURL), name: name, fileName: fileName, mimeType: mimeType))
  }

  /// Adds a stream, which can be sent once.
  ///
  /// - Parameters:
  ///   - stream: the stream, not yet opened.
  ///   - length: the number of bytes in the stream.
  ///   - name: the name of the form's field.
  ///   - fileName: the file name to send.
  ///   - mimeType: the media type.
  public func append(
    _ stream: InputStream, withLength length: UInt64, name: String, fileName: String, mimeType: String
  ) {
    add(.init(provider: .stream(stream, length), name: name, fileName: fileName, mimeType: mimeType))
  }

  /// Adds a stream, which can be sent once, with the given head.
  ///
  /// - Parameters:
  ///   - stream: the stream, not yet opened.
  ///   - length: the number of bytes in the stream.
  ///   - headers: all fields of the part's head, including `Content-Disposition`. If a field could forge a
  ///     line, `encode()` and the request fail with `MultipartError.invalidField`.
  public func append(_ stream: InputStream, withLength length: UInt64, headers: HTTPHeaders) {
    add(.init(provider: .stream(stream, length), fields: headers))
  }

  /// Returns the whole body, in memory.
  ///
  /// - Returns: the bytes.
  /// - Throws: `MultipartError` if the form cannot be sent; `TransferError` if a file cannot be read, or a
  ///   stream is shorter or longer than announced.
  public func encode() throws -> Data {
    var data = Data()
    try read { data.append(contentsOf: $0) }
    return data
  }

  /// Writes the body to a new file, and removes the file after an error.
  ///
  /// - Parameter fileURL: the URL of the file, which must not exist yet.
  /// - Throws: the errors of `encode()`, or the reason why the file cannot be written.
  public func writeEncodedData(to fileURL: URL) throws {
    try Data().write(to: fileURL, options: .withoutOverwriting)
    do {
      let file = try FileHandle(forWritingTo: fileURL)
      defer { try? file.close() }
      try read { try file.write(contentsOf: Data($0)) }
    } catch {
      // The first error is more useful than an error of the removal.
      try? FileManager.default.removeItem(at: fileURL)
      throw error
    }
  }

  private func add(_ part: MultipartFormBodyPart) { form.parts.append(part) }

  private func read(_ take: (UnsafeRawBufferPointer) throws -> Void) throws {
    let stream = try BodyInputStream(
      TransportRequest(method: .post, url: "a form", body: .stream(form.body(for: .post))))
    stream.open()
    defer { stream.close() }
    let size = 64 << 10
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    defer { buffer.deallocate() }
    let bytes = buffer.bindMemory(to: UInt8.self)
    guard let start = bytes.baseAddress else { return }
    while true {
      let count = stream.read(start, maxLength: size)
      if let failure = stream.failure { throw failure }
      guard count > 0 else { return }
      try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}

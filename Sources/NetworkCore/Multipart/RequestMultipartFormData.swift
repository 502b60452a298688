public import Foundation

/// A form that is put together part by part, in the shape that Alamofire has it.
///
/// ```swift
/// let form = RequestMultipartFormData()
/// form.append(Data("Lorem".utf8), withName: "title")
/// form.append(picture, withName: "picture")
/// let task = HTTPTask.uploadMultipartFormData(form.form)
/// ```
///
/// A task takes the value that it makes, `form`, whose files and streams are read while they are sent. Not to be used by
/// several threads at a time.
open class RequestMultipartFormData {
  /// What Alamofire calls the size from which a form is written to a file first; of no effect, since none is here.
  public static let encodingMemoryThreshold: UInt64 = 10_000_000

  /// The form as it is now.
  public private(set) var form: MultipartFormData

  /// Makes a form without parts.
  ///
  /// - Parameters:
  ///   - fileManager: not used: files are read by the system's own calls.
  ///   - boundary: what is written between the parts; `nil` for a random text.
  public init(fileManager: FileManager = .default, boundary: String? = nil) {
    form = MultipartFormData(boundary: boundary, parts: [])
  }

  /// What is written between the parts.
  public var boundary: String { form.delimiter }
  /// The `Content-Type` of the body.
  open var contentType: String { form.contentType }
  /// The bytes of the parts' contents, without what stands between them; 0 where that of a file is not known.
  public var contentLength: UInt64 { form.contentLength ?? 0 }

  /// Adds bytes in memory.
  ///
  /// - Parameters:
  ///   - data: the bytes.
  ///   - name: the name of the form's field.
  ///   - fileName: the file name that the server is told.
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
  ///   - fileName: the file name that the server is told.
  ///   - mimeType: the media type.
  public func append(_ fileURL: URL, withName name: String, fileName: String, mimeType: String) {
    add(.init(provider: .file(fileURL), name: name, fileName: fileName, mimeType: mimeType))
  }

  /// Adds a stream, which can be sent once.
  ///
  /// - Parameters:
  ///   - stream: the stream, not yet opened.
  ///   - length: the bytes that it has.
  ///   - name: the name of the form's field.
  ///   - fileName: the file name that the server is told.
  ///   - mimeType: the media type.
  public func append(
    _ stream: InputStream, withLength length: UInt64, name: String, fileName: String, mimeType: String
  ) {
    add(.init(provider: .stream(stream, length), name: name, fileName: fileName, mimeType: mimeType))
  }

  /// Adds a stream, which can be sent once, with a head of one's own.
  ///
  /// - Parameters:
  ///   - stream: the stream, not yet opened.
  ///   - length: the bytes that it has.
  ///   - headers: all fields of the part's head, `Content-Disposition` among them; one that would forge a line fails
  ///     `encode()`, and the request, with `MultipartError.invalidField`.
  public func append(_ stream: InputStream, withLength length: UInt64, headers: HTTPHeaders) {
    add(.init(provider: .stream(stream, length), fields: headers))
  }

  /// The whole body, in memory.
  ///
  /// - Returns: the bytes.
  /// - Throws: `MultipartError` for a form that cannot be sent; a `TransferError` for a file that cannot be read, or a stream
  ///   that is shorter or longer than announced.
  public func encode() throws -> Data {
    var data = Data()
    try read { data.append(contentsOf: $0) }
    return data
  }

  /// Writes the body to a new file, of which an error leaves nothing.
  ///
  /// - Parameter fileURL: where the file goes; there must be none yet.
  /// - Throws: what `encode()` does, or why the file cannot be written.
  public func writeEncodedData(to fileURL: URL) throws {
    try Data().write(to: fileURL, options: .withoutOverwriting)
    do {
      let file = try FileHandle(forWritingTo: fileURL)
      defer { try? file.close() }
      try read { try file.write(contentsOf: Data($0)) }
    } catch {
      // The first error says what is wrong.
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

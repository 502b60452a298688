public import Foundation

/// A part of a `multipart/form-data` body: bytes with a name.
///
/// As in browsers, `"` becomes `%22` in a name or file name; in a file name, CR becomes `%0D` and LF becomes
/// `%0A`. A request fails if a name contains CR, LF or NUL, or if a file name contains NUL.
public struct MultipartFormBodyPart: Sendable, Hashable {
  /// The source of the bytes.
  public let provider: MultipartFormData.FormDataProvider
  /// The name of the form's field.
  public let name: String
  /// The file name to send; if it is `nil`, a file is sent with its own name.
  public let fileName: String?
  /// The media type; if it is `nil`, a file is sent with the media type of its extension.
  public let mimeType: String?
  /// The whole head, if it was given instead of name and type.
  private let fields: HTTPHeaders?

  /// Creates a part.
  ///
  /// - Parameters:
  ///   - provider: the source of the bytes.
  ///   - name: the name of the form's field.
  ///   - fileName: the file name to send; if it is `nil`, a file is sent with its own name.
  ///   - mimeType: the media type; if it is `nil`, a file is sent with the media type of its extension.
  public init(
    provider: MultipartFormData.FormDataProvider, name: String, fileName: String? = nil,
    mimeType: String? = nil
  ) {
    self.provider = provider
    self.name = name
    self.fileName = fileName
    self.mimeType = mimeType
    fields = nil
  }

  /// Creates a part with the given head.
  package init(provider: MultipartFormData.FormDataProvider, fields: HTTPHeaders) {
    self.provider = provider
    self.fields = fields
    name = ""
    fileName = nil
    mimeType = nil
  }
}

extension MultipartFormData {
  /// The source of the bytes of a part.
  public enum FormDataProvider: Sendable, Hashable {
    /// Bytes in memory.
    case data(Data)
    /// A file, read while it is sent.
    case file(URL)
    /// A stream, read while it is sent.
    case stream(BodyStream)

    /// Returns a provider for a Foundation stream, which can be sent once.
    ///
    /// - Parameters:
    ///   - stream: the stream, not yet opened. No other code may use it from now on.
    ///   - length: the number of bytes in the stream; `nil` if it is not known.
    /// - Returns: the provider.
    public static func stream(_ stream: InputStream, _ length: UInt64?) -> FormDataProvider {
      .stream(BodyStream(stream, length: length.map { Int64(clamping: $0) }))
    }

    /// The number of bytes; `nil` if it is not known or the file cannot be read.
    var length: Int64? {
      switch self {
      case .data(let data): Int64(data.count)
      case .file(let url): try? FileReader(url).length
      case .stream(let stream): stream.length
      }
    }
  }
}

extension MultipartFormBodyPart {
  /// Returns the lines before the bytes of the part, including the final empty line.
  func head() throws(MultipartError) -> String {
    if let fields {
      for field in fields where !field.canBeSent {
        throw .invalidField(field.name, value: field.value)
      }
      return fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
    }
    if name.utf8.contains(where: \.breaksLine) { throw .invalidField("name", value: name) }
    var lines = "Content-Disposition: form-data; name=\"\(name.escapedForDisposition)\""
    if let fileName = fileName ?? provider.fileName {
      if fileName.utf8.contains(0) { throw .invalidField("fileName", value: fileName) }
      lines += "; filename=\"\(fileName.escapedForDisposition)\""
    }
    lines += "\r\n"
    if let type = mimeType ?? provider.mimeType {
      let isValid = type.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
      guard isValid else { throw .invalidField("mimeType", value: type) }
      lines += "Content-Type: \(type)\r\n"
    }
    return lines + "\r\n"
  }
}

extension MultipartFormData.FormDataProvider {
  fileprivate var fileName: String? {
    if case .file(let url) = self { url.lastPathComponent } else { nil }
  }

  fileprivate var mimeType: String? {
    if case .file(let url) = self { MediaType.ofFile(extension: url.pathExtension) } else { nil }
  }
}

extension String {
  /// The text, escaped as the HTML standard requires for names in a multipart head.
  fileprivate var escapedForDisposition: String {
    // Scalars instead of characters, because CR LF is one character, and so is a quotation mark with an
    // accent.
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\"": text += "%22"
      case "\r": text += "%0D"
      case "\n": text += "%0A"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

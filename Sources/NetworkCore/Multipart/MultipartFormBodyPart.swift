public import Foundation

/// One part of a `multipart/form-data` body: bytes under a name.
///
/// In a name or file name `"` is written as `%22`, and in a file name CR as `%0D` and LF as `%0A`, as browsers do. A
/// name with CR, LF or NUL and a file name with NUL are refused when the request is sent.
public struct MultipartFormBodyPart: Sendable, Hashable {
  /// Where the bytes come from.
  public let provider: MultipartFormData.FormDataProvider
  /// The name of the form's field.
  public let name: String
  /// The file name that the server is told; for a file its own where this is `nil`.
  public let fileName: String?
  /// The media type; for a file the one of its extension where this is `nil`.
  public let mimeType: String?
  /// The whole head, where it was given instead of name and type.
  private let fields: HTTPHeaders?

  /// Makes a part.
  ///
  /// - Parameters:
  ///   - provider: where the bytes come from.
  ///   - name: the name of the form's field.
  ///   - fileName: the file name that the server is told; for a file its own where this is `nil`.
  ///   - mimeType: the media type; for a file the one of its extension where this is `nil`.
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

  /// Makes a part with a head of its own.
  init(provider: MultipartFormData.FormDataProvider, fields: HTTPHeaders) {
    self.provider = provider
    self.fields = fields
    name = ""
    fileName = nil
    mimeType = nil
  }
}

extension MultipartFormData {
  /// Where the bytes of a part come from.
  public enum FormDataProvider: Sendable, Hashable {
    /// Bytes in memory.
    case data(Data)
    /// A file, read while it is sent.
    case file(URL)
    /// A stream, read while it is sent.
    case stream(BodyStream)

    /// A stream of Foundation's, which can be sent once.
    ///
    /// - Parameters:
    ///   - stream: the stream, not yet opened; nobody else may use it from now on.
    ///   - length: the bytes that it has; `nil` where that is not known.
    /// - Returns: the provider.
    public static func stream(_ stream: InputStream, _ length: UInt64?) -> FormDataProvider {
      .stream(BodyStream(stream, length: length.map { Int64(clamping: $0) }))
    }

    /// The bytes there are; `nil` where that is not known, or the file cannot be read.
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
  /// The lines in front of the part's bytes, the empty one that ends them included.
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
  /// As the HTML standard has it for names in a multipart head.
  fileprivate var escapedForDisposition: String {
    // Scalars, not characters: CR LF is one character, and so is a quote with an accent.
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

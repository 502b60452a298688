import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An empty stream that stands for the actual body in a `URLRequest`.
///
/// The transport reads `content` while it sends the body. Foundation's own streams can be read only once, so
/// a retry could not send them again.
final class BodyPlaceholder: InputStream {
  enum Content {
    case body(TransportRequest.Body)
    case form(MultipartFormData)
  }

  let content: Content

  init(_ content: Content) {
    self.content = content
    super.init(data: Data())
  }
}

extension URLRequest {
  /// The multipart form that the body is made of; `nil` for another body.
  var form: MultipartFormData? {
    guard case .form(let form)? = (httpBodyStream as? BodyPlaceholder)?.content else { return nil }
    return form
  }

  /// Whether the request has no body, or one that can be read again.
  var canBeSentAgain: Bool {
    guard let stream = httpBodyStream else { return true }
    switch (stream as? BodyPlaceholder)?.content {
    case .form(let form): return form.isRepeatable
    case .body(.stream(let stream)): return stream.isRepeatable
    case .body: return true
    case nil: return false
    }
  }

  /// The length of the request body in bytes; `nil` if it is unknown, or the body cannot be read.
  ///
  /// Reading the length of a file may block.
  var uploadLength: Int64? {
    switch (httpBodyStream as? BodyPlaceholder)?.content {
    case .form(let form):
      let method = httpMethod.map(HTTPMethod.init(rawValue:)) ?? .get
      return (try? form.body(for: method))?.measuredLength
    case .body(.data(let data)): return Int64(data.count)
    case .body(.file(let file)): return try? FileReader(file).length
    case .body(.stream(let stream)): return stream.measuredLength
    case .body(.none), nil: return httpBody.map { Int64($0.count) }
    }
  }

  /// Sets `Content-Type` if the body is a form; the target's header fields cannot name the form's boundary.
  mutating func setFormContentType() {
    guard let form else { return }
    setField("Content-Type", to: form.contentType)
  }
}

extension BodyStream {
  /// The length of the body in bytes; `nil` if it is unknown, or the body cannot be read.
  fileprivate var measuredLength: Int64? {
    (try? prepare())?.length
  }
}

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

  /// Sets `Content-Type` if the body is a form; the target's header fields cannot name the form's boundary.
  mutating func setFormContentType() {
    guard let form else { return }
    setField("Content-Type", to: form.contentType)
  }
}

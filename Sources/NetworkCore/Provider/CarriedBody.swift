import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Takes a body that is read while it is sent through a `URLRequest`, whose own streams can be read only once.
final class CarriedBody: InputStream {
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
  /// Whether a body, if there is one, can be read once more.
  var canBeSentAgain: Bool {
    guard let stream = httpBodyStream else { return true }
    switch (stream as? CarriedBody)?.content {
    case .form(let form): return form.isRepeatable
    case .body(.stream(let stream)): return stream.isRepeatable
    case .body: return true
    case nil: return false
    }
  }

  /// Says what a form is, where the request carries one: a field of a target's cannot know the boundary.
  mutating func nameForm() {
    guard case .form(let form)? = (httpBodyStream as? CarriedBody)?.content else { return }
    setField("Content-Type", to: form.contentType)
  }
}

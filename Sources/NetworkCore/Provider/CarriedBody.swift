import Foundation

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

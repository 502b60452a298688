internal import AsyncHTTPClient
internal import NIOHTTP1
internal import NetworkCore

extension HTTPClientRequest {
  /// Creates the client's form of a request.
  init(_ request: TransportRequest, body: RequestBodySequence) throws(TransferError) {
    self.init(url: request.url)
    method = .init(rawValue: request.method.rawValue)
    for field in request.headers { headers.add(name: field.name, value: field.value) }
    if let credential = request.credential, request.headers["Authorization"] == nil {
      headers.add(name: "Authorization", value: try credential.authorization())
    }
    if let length = body.length {
      if length > 0 { self.body = .stream(body, length: .known(length)) }
    } else {
      self.body = .stream(body, length: .unknown)
    }
  }
}

extension TransportRequest.Credential {
  fileprivate func authorization() throws(TransferError) -> String {
    switch self {
    case .basic(let user, let password):
      return HTTPHeader.authorization(username: user, password: password).value
    case .bearer(let token):
      guard token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw .invalidField(name: "Authorization", value: token)
      }
      return HTTPHeader.authorization(bearerToken: token).value
    case .digest, .negotiate:
      throw .other(code: 0, reason: "AsyncHTTPClientTransport supports only Basic and Bearer")
    }
  }
}

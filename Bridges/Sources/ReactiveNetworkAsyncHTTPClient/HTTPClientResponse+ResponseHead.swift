internal import AsyncHTTPClient
internal import NIOHTTP1
internal import NetworkCore

extension ResponseHead {
  init(_ response: HTTPClientResponse, to request: TransportRequest) {
    let fields = response.headers.map { HTTPHeader(name: $0.name, value: $0.value) }
    self.init(
      statusCode: response.statusCode, url: request.url, headers: .init(received: fields),
      httpVersion: .init(rawValue: response.version.major == 2 ? "HTTP/2" : "\(response.version)"))
    method = request.method
  }
}

extension HTTPClientResponse {
  var statusCode: Int { Int(status.code) }

  var isRedirect: Bool {
    [301, 302, 303, 307, 308].contains(statusCode) && headers["Location"].contains { !$0.isEmpty }
  }
}

// Property: the origin of a redirected request, which decides about its credentials, is the one to which libcurl
// connects for its URL.
import Foundation
@testable import NetworkCoreTransport

private let bases = [
  "http://h/a/b?c", "https://h:8443/x/../y", "http://[::1]:80/", "http://u:p@h/", "https://example.org",
]

@Sendable func testRedirects(_ input: FuzzInput) throws {
  var input = input
  let base = bases[Int(input.byte()) % bases.count]
  let location = input.text
  let request = TransportRequest(method: .get, url: base, headers: ["Authorization": "secret", "X": "y"])
  guard let next = try? request.redirected(status: 302, to: location, policy: .follow) else { return }
  guard let origin = Origin(url: next.url) else { throw Violation(description: "\(next.url) has no origin") }
  // libcurl does not send a request to a URL that it does not accept.
  guard let actual = CurlURL(next.url) else { return }
  let scheme = origin.isSecure ? "https" : "http"
  try requireEqual(CurlURL("\(scheme)://\(origin.host):\(origin.port)/"), actual, "the origin of \(next.url)")
  if let own = CurlURL(base), own != actual {
    try requireEqual(next.headers["Authorization"], nil, "a secret leaves for \(next.url)")
  }
}

/// What libcurl finds in a URL (`curl_url`).
private struct CurlURL: Equatable {
  let scheme: String
  let host: String
  let port: String

  init?(_ url: String) {
    guard let handle = library.make() else { return nil }
    defer { library.free(handle) }
    // The parts are those of <curl/urlapi.h>: 0 the URL, 1 scheme, 5 host, 6 port; 1 is CURLU_DEFAULT_PORT.
    guard library.set(handle, 0, url, 0) == 0 else { return nil }
    func part(_ number: CInt) -> String? {
      var text: UnsafeMutablePointer<CChar>?
      guard library.get(handle, number, &text, 1) == 0, let text else { return nil }
      defer { library.release(text) }
      return String(cString: text)
    }
    guard let scheme = part(1), let host = part(5), let port = part(6) else { return nil }
    (self.scheme, self.host, self.port) = (scheme, host.lowercased(), port)
  }
}

private struct CurlURLLibrary: Sendable {
  typealias Text = UnsafeMutablePointer<CChar>
  let make: @convention(c) () -> OpaquePointer?
  let free: @convention(c) (OpaquePointer) -> Void
  let set: @convention(c) (OpaquePointer, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt
  let get: @convention(c) (OpaquePointer, CInt, UnsafeMutablePointer<Text?>, CUnsignedInt) -> CInt
  let release: @convention(c) (UnsafeMutableRawPointer) -> Void
}

/// The functions of the libcurl that `CurlTransport` loads.
private let library: CurlURLLibrary = {
  let handle = dlopen("libcurl.so.4", RTLD_NOW)
  func function<Function>(_ name: String) -> Function {
    guard let symbol = dlsym(handle, name) else { preconditionFailure("libcurl lacks \(name)") }
    return unsafeBitCast(symbol, to: Function.self)
  }
  return CurlURLLibrary(
    make: function("curl_url"), free: function("curl_url_cleanup"), set: function("curl_url_set"),
    get: function("curl_url_get"), release: function("curl_free"))
}()

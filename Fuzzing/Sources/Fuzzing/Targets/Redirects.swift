// Property: a redirect leads to the URL that the steps of RFC 3986 yield, with the method, the body and the
// fields that RFC 9110 demands; the origin of its request, which decides about its credentials, is the one to
// which libcurl connects for the URL; and a plain path is not refused.
import Foundation
@testable import NetworkCoreTransport

private let bases = [
  "http://h/a/b?c", "https://h:8443/x/../y", "http://[::1]:80/", "http://u:p@h/", "https://example.org",
]
private let statuses = [302, 301, 303, 307, 308]
private let methods: [HTTPMethod] = [.get, .post, .head, .put]

@Sendable func testRedirects(_ input: FuzzInput) throws {
  var input = input
  let choice = Int(input.byte())
  let base = bases[choice % bases.count]
  let status = statuses[choice / bases.count % statuses.count]
  let location = input.text
  var request = TransportRequest(
    method: methods[choice / 25 % methods.count], url: base,
    headers: [
      "Authorization": "secret", "X": "y", "Content-Type": "a/b", "If-Match": "\"m\"", "Host": "h",
      "Range": "bytes=1-", "If-Range": "\"r\"",
    ])
  request.body = .data(Data("body".utf8))
  guard let next = try? request.redirected(status: status, to: location, policy: .follow) else {
    // A host, a scheme and what differs between parsers may be refused, but not a path.
    let isPath = location.utf8.allSatisfy {
      (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || "/.?#= ".utf8.contains($0)
    }
    return try require(!isPath || location.hasPrefix("//"), "\(location) is refused at \(base)")
  }
  try checkURL(next.url, location, base)
  guard let origin = Origin(url: next.url) else { throw Violation(description: "\(next.url) has no origin") }
  try require(origin.isSecure || base.hasPrefix("http:"), "\(next.url) is not secure")
  try require(!origin.isUnixSocket, "\(next.url) is a socket")
  try checkContent(next, of: request, status)
  // libcurl does not send a request to a URL that it does not accept.
  guard let actual = CurlURL(next.url) else { return }
  let scheme = origin.isSecure ? "https" : "http"
  try requireEqual(CurlURL("\(scheme)://\(origin.host):\(origin.port)/"), actual, "the origin of \(next.url)")
  if let own = CurlURL(base), own != actual {
    for name in ["Authorization", "Host"] {
      try requireEqual(next.headers[name], nil, "\(name) leaves for \(next.url)")
    }
    let isSafe = next.method == .get || next.method == .head
    try requireEqual(next.headers["If-Match"] == nil, isSafe || next.method != request.method, "a condition")
  }
}

/// The parts of a URL reference (RFC 3986, appendix B).
private struct PlainReference {
  var (scheme, authority, query, fragment): (Substring?, Substring?, Substring?, Substring?)
  var path: Substring

  init(_ text: String) {
    // A letter for each byte, so that nothing combines.
    path = String(String.UnicodeScalarView(text.utf8.map { Unicode.Scalar($0) }))[...]
    if let mark = path.unicodeScalars.firstIndex(of: "#") {
      fragment = path[mark...].dropFirst()
      path = path[..<mark]
    }
    if let mark = path.unicodeScalars.firstIndex(of: "?") {
      query = path[mark...].dropFirst()
      path = path[..<mark]
    }
    if let colon = path.unicodeScalars.firstIndex(where: { $0 == ":" || $0 == "/" }), path[colon] == ":" {
      scheme = path[..<colon]
      path = path[colon...].dropFirst()
    }
    if path.hasPrefix("//") {
      let rest = path.dropFirst(2)
      authority = rest.prefix { $0 != "/" }
      path = rest.drop { $0 != "/" }
    }
  }

  /// Section 5.2.2, and the fragment of RFC 9110, section 10.2.2.
  func resolved(against base: PlainReference) -> PlainReference {
    var target = self
    target.fragment = fragment ?? base.fragment
    target.path = Self.withoutDots(path)
    if scheme != nil { return target }
    target.scheme = base.scheme
    if authority != nil { return target }
    target.authority = base.authority
    if path.isEmpty {
      target.path = Self.withoutDots(base.path)
      target.query = query ?? base.query
    } else if !path.hasPrefix("/") {
      let folder = base.path.lastIndex(of: "/").map { base.path[...$0] } ?? "/"
      target.path = Self.withoutDots(folder + path)
    }
    return target
  }

  /// Section 5.2.4, with its two buffers.
  private static func withoutDots(_ path: Substring) -> Substring {
    var (input, output) = (String(path), "")
    while !input.isEmpty {
      if input.hasPrefix("/./") {
        input.removeFirst(2)
      } else if input == "/." {
        input = "/"
      } else if input.hasPrefix("/../") || input == "/.." {
        input = "/" + input.dropFirst(4)
        output = output.lastIndex(of: "/").map { String(output[..<$0]) } ?? ""
      } else {
        let segment = input.prefix(1) + input.dropFirst().prefix { $0 != "/" }
        output += segment
        input.removeFirst(segment.count)
      }
    }
    return output[...]
  }

  /// What follows the host.
  var tail: String { "\(path)\(query.map { "?" + $0 } ?? "")\(fragment.map { "#" + $0 } ?? "")" }
}

private func checkURL(_ url: String, _ location: String, _ base: String) throws {
  let blanks = location.utf8.map { $0 == 0x20 ? "%20" : String(Unicode.Scalar($0)) }.joined()
  let sent = String(decoding: blanks.unicodeScalars.map { UInt8($0.value) }, as: UTF8.self)
  let expected = PlainReference(sent).resolved(against: PlainReference(base))
  let found = PlainReference(url)
  let tail = expected.tail.unicodeScalars.map { scalar in
    scalar.isASCII ? String(scalar) : percentEncoded(UInt8(scalar.value))
  }.joined()
  try requireEqual(found.tail, tail, "\(location) at \(base)")
  try requireEqual(found.scheme?.lowercased(), expected.scheme?.lowercased(), "the scheme of \(location)")
  // Foundation converts other hosts.
  guard expected.authority?.utf8.allSatisfy({ $0 < 0x80 }) == true else { return }
  var authority = expected.authority ?? ""
  // Within an origin, the user of the URL stays.
  if let user = PlainReference(base).authority?.split(separator: "@").dropLast().first,
    !authority.contains("@"), let target = CurlURL(url), target == CurlURL(base)
  {
    authority = "\(user)@\(authority)"
  }
  try requireEqual(found.authority, authority, "the host of \(location)")
}

/// RFC 9110, sections 15.4.2 to 15.4.9.
private func checkContent(_ next: TransportRequest, of request: TransportRequest, _ status: Int) throws {
  let becomesGet: Bool =
    switch (status, request.method) {
    case (303, .head): false
    case (303, _), (301, .post), (302, .post): true
    default: false
    }
  try requireEqual(next.method, becomesGet ? .get : request.method, "the method after \(status)")
  try requireEqual(next.body, becomesGet ? .none : request.body, "the body after \(status)")
  try requireEqual(next.headers["Content-Type"], becomesGet ? nil : "a/b", "the type after \(status)")
  for name in ["X", "Range", "If-Range"] {
    try requireEqual(next.headers[name], request.headers[name], "\(name) after \(status)")
  }
  let isSameOrigin = Origin(url: next.url) == Origin(url: request.url)
  try requireEqual(next.headers["Authorization"], isSameOrigin ? "secret" : nil, "the secret for \(next.url)")
  let wasSafe = request.method == .get || request.method == .head
  if isSameOrigin {
    try requireEqual(
      next.headers["If-Match"], becomesGet && !wasSafe ? nil : "\"m\"", "the condition after \(status)")
  }
  try require(
    (try? request.redirected(status: status, to: "/", after: 16, policy: .follow)) == nil,
    "too many redirects")
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

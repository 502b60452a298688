import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

/// The examples of RFC 7617, sections 2 and 2.1, and of RFC 7616, section 3.9.1.
@Suite("The examples of HTTP's authentication schemes", .timeLimit(.minutes(5)))
struct AuthenticationExampleTests {
  @Test(
    "Basic",
    arguments: [
      ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
      ("test", "123£", "Basic dGVzdDoxMjPCow=="),
    ])
  func basic(user: String, password: String, expected: String) async throws {
    let server = try LoopbackServer { .text($0.headers["Authorization"] ?? "none") }
    var request = TransportRequest(url: server.origin)
    request.credential = .basic(user: user, password: password)
    #expect(await (try CurlTransport()).exchange(request).body == Data(expected.utf8))
  }

  // The example's response depends on its `cnonce`, which the client chooses. So the server computes the response
  // as section 3.4.1 does; with the example's `cnonce` it gets the example's response.
  @Test("Digest with SHA-256")
  func digest() async throws {
    let cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    #expect(
      Self.response(cnonce: cnonce, count: "00000001")
        == "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1")
    let challenge = """
      Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="\(Self.nonce)", \
      opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
      """
    let server = try LoopbackServer { request in
      guard let field = request.headers["Authorization"] else {
        return .status(401).header("WWW-Authenticate", challenge)
      }
      return .text(field)
    }
    var request = TransportRequest(url: "\(server.origin)/dir/index.html")
    request.credential = .digest(user: "Mufasa", password: "Circle of Life")
    let events = await (try CurlTransport()).exchange(request)
    let fields = Self.parameters(of: String(decoding: events.body, as: UTF8.self))
    #expect(fields["username"] == "Mufasa")
    #expect(fields["realm"] == "http-auth@example.org")
    #expect(fields["uri"] == "/dir/index.html")
    #expect(fields["algorithm"] == "SHA-256")
    #expect(fields["nonce"] == Self.nonce)
    #expect(fields["qop"] == "auth")
    #expect(fields["opaque"] == "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS")
    let (own, count) = try (#require(fields["cnonce"]), #require(fields["nc"]))
    #expect(count == "00000001")
    #expect(fields["response"] == Self.response(cnonce: own, count: count))
  }

  private static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"

  private static func response(cnonce: String, count: String) -> String {
    let secret = SHA256.hex("Mufasa:http-auth@example.org:Circle of Life".utf8)
    let target = SHA256.hex("GET:/dir/index.html".utf8)
    return SHA256.hex("\(secret):\(nonce):\(count):\(cnonce):auth:\(target)".utf8)
  }

  /// Reads `name=value` pairs, of which no value in these examples contains a comma.
  private static func parameters(of field: String) -> [String: String] {
    let pairs = field.dropFirst("Digest ".count).split(separator: ",").map { pair in
      let halves = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      return (halves[0], halves.count > 1 ? halves[1].trimmingCharacters(in: ["\""]) : "")
    }
    return Dictionary(pairs) { first, _ in first }
  }
}

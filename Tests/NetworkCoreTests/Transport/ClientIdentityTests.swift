import Foundation
import NetworkCore
import Testing

@Suite(
  "Client identities",
  .enabled(if: InstalledProgram.canServeTLS, Comment(rawValue: InstalledProgram.skipReason)),
  .timeLimit(.minutes(5)))
struct ClientIdentityTests {
  @Test("a password-protected identity, with its key in PKCS #12, is accepted", arguments: ["file", "data"])
  func protected(kind: String) async throws {
    let authority = try CertificateAuthority()
    let directives = """
      ssl_client_certificate \(authority.root.certificate); ssl_verify_client optional_no_ca;
      location / { return 200 "$ssl_client_verify"; }
      """
    let nginx = try Nginx(.init(identity: try authority.issue(), directives: directives))
    let client = try authority.issue("DNS:client")
    let path = client.certificate + ".p12"
    try InstalledProgram.openssl.run(
      ["pkcs12", "-export", "-in", client.certificate, "-inkey", client.key, "-passout", "pass:secret"]
        + ["-out", path],
      in: authority.directory)
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(authority.root.pem)
    configuration.tls.clientIdentities["127.0.0.1"] = .init(
      certificate: kind == "file" ? .file(path) : .data(try Data(contentsOf: URL(fileURLWithPath: path))),
      password: "secret", format: .p12)
    let events = await (try CurlTransport(configuration: configuration)).exchange(.init(url: nginx.origin()))
    #expect(events.body == Data("SUCCESS".utf8), "\(String(describing: events.error))")
  }
}

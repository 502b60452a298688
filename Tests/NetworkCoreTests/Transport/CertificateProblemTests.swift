import Foundation
import NetworkCore
import Testing

@Suite(
  "Problems of certificates",
  .enabled(if: InstalledProgram.canServeTLS, Comment(rawValue: InstalledProgram.skipReason)),
  .timeLimit(.minutes(5)))
struct CertificateProblemTests {
  @Test("a chain that ends with an unknown authority is reported as self-signed")
  func chain() async throws {
    let authority = try CertificateAuthority()
    let issued = try authority.issue()
    let chain = URL(fileURLWithPath: issued.certificate + ".chain")
    try (issued.pem + authority.root.pem).write(to: chain)
    let nginx = try Nginx(
      .init(identity: try CertificateAuthority.Identity(certificate: chain.path, key: issued.key)))
    let events = await (try CurlTransport()).exchange(.init(url: nginx.origin()))
    guard case .certificate(.selfSigned, "127.0.0.1", _)? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }
}

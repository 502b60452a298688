import Foundation
import NetworkCore
import Testing

@Suite(
  "Reloaded servers",
  .enabled(if: InstalledProgram.canServeTLS, Comment(rawValue: InstalledProgram.skipReason)),
  .timeLimit(.minutes(5)))
struct ServerReloadTests {
  private static let count = 6_000

  @Test("no POST over HTTP/2 is lost or processed twice while nginx is reloaded six times")
  func posts() async throws {
    let authority = try CertificateAuthority()
    // nginx acts as a proxy, and so reads the body before it has a response.
    let socket = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sock")
    defer { try? FileManager.default.removeItem(at: socket) }
    let directives = "access_log access.log; location / { proxy_pass http://unix:\(socket.path); }"
    let nginx = try Nginx(
      .init(identity: try authority.issue(), directives: directives),
      http: "server { listen unix:\(socket.path); location / { return 200 ok; } }", isReloadable: true)
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(authority.root.pem)
    let transport = try CurlTransport(configuration: configuration)
    let errors = try await withThrowingTaskGroup(of: [TransferError].self) { group in
      for worker in 0..<64 {
        group.addTask {
          var errors: [TransferError] = []
          for number in stride(from: worker, to: Self.count, by: 64) {
            if number % 900 == 450, number < 5_400 { try nginx.reload() }
            let request = TransportRequest(
              method: .post, url: "\(nginx.origin())/\(number)", body: .data(Data("body".utf8)))
            if let error = await transport.exchange(request).error { errors.append(error) }
          }
          return errors
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(errors == [])
    // nginx writes the log line after the response.
    try await suspendUntil { try nginx.targets().count >= Self.count }
    let targets = try nginx.targets()
    #expect(targets.count == Self.count)
    #expect(Set(targets).count == Self.count)
  }
}

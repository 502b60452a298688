import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Client identities", .timeLimit(.minutes(5)))
struct ClientIdentityTests {
  /// A certificate that signs itself, valid for 100 years.
  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBRDCB66ADAgECAgEBMAoGCCqGSM49BAMCMBExDzANBgNVBAMMBmNsaWVudDAg
    Fw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowETEPMA0GA1UEAwwGY2xp
    ZW50MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEU4ZxEpVLn+68RjKP1UngtgQG
    tiiWMvV10Dbnwv8SCNcEeZI1gtzl5QxBKthrqfbrQBf6UlUMaBAlm31BUX+q6aMy
    MDAwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUsBq4x9mIaF9/qmdYPJHCQFrd
    yncwCgYIKoZIzj0EAwIDSAAwRQIgPqampui8RkqrrBfJ1WjOV8H2fnwdwqrGdDQt
    1ngqWlICIQDv0H5sOa3BCiSCFpZzmYOi6zflK45r5TesyVs2+65Eww==
    -----END CERTIFICATE-----
    """

  /// The certificate and its key, as `openssl pkcs12 -export` writes them, with the password `secret`.
  private static let identity = """
    MIID3AIBAzCCA5IGCSqGSIb3DQEHAaCCA4MEggN/MIIDezCCAjIGCSqGSIb3DQEHBqCCAiMwggIfAgEAMIICGAYJKoZIhvcNAQcB
    MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjTF3qTt4C58AICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEIXu
    +JSBgaRLzYQ2jO7V9GaAggGw2U8iBXwDTIIS9LZUrtGPv7WEydLWQ1iNwyCAEwTfZdw5RYloQ4C02Kod0eyPzpe/KWav9KZR2+NI
    OAz4hZ0KPrD/PXpMgj3DJoewpOdTvjG8pj8gKgMu1TGpfLyU/Ys1C9vBYhkGteLIy2cK4xowwpgXoVHQM6JZ7zyc8ouwnz9LlLEW
    tt8Bb0nA2o/ecg/C7kD6BQLSuBzc/b6V1Tlq56DKrGV0C3IjqVNgIWu8ezCvVBoANBczjeoW2NjDOzBq/HgWR4LmLqmbhbP9Iy9D
    AJamosLQaTqG/iOjHa1KPz57l4VOVNAkOMWc+pUx1eDbed6dxY5uSAhk0vJMZJkHc7TVINjyX2eevkAKjXUGXCv8TcKKi0a1KWCM
    qbWZYPVqJZYGLu/SracohqHk86BRj011Z7MjY1Qm2FEe7T6YUIi+YjywYvkVhefbswDvsbBelDrRz1hpOq+2SbHgl7EYf+hjn+Es
    XS0Q59rXYQErVFkswsqQqQEW3chUKbX7p/NwW1EI76Y3kCO4Iqo6T5ZKCm8hV6YRtZrAoiXWQ5zEcs3zQtaraeSspMK+6D5tSdiz
    MIIBQQYJKoZIhvcNAQcBoIIBMgSCAS4wggEqMIIBJgYLKoZIhvcNAQwKAQKgge8wgewwVwYJKoZIhvcNAQUNMEowKQYJKoZIhvcN
    AQUMMBwECJ9WIByp/rfFAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQmpjN7DMAgZ+BMsOFPkenpwSBkE70VaI/Qmbi
    Q35X6sij4PAed88pC3K2iS2sm5S2tEG3fRzoJ9Zg/QuiouZd5p8ER6q1lQD4F0pOLRRAWGoXeWeucMkiQ5hTS8f2RrH6dMxRyILS
    6xNqGKeGXc51DdJ6Wd3ZbhfEgd86WCxuaZ9NiP2MbUmFS6cCoJYSy8F6TSA8oqe7uK1J9pdNwuVqn6EbZzElMCMGCSqGSIb3DQEJ
    FTEWBBT6Sbj0sueXyip0J+yCD3AvLtsKbTBBMDEwDQYJYIZIAWUDBAIBBQAEIJU/tVUnUPp/teFiRHPN8nrIrG3OxeaSWvuPs24V
    3t4SBAgm9jP/Ui/M3AICCAA=
    """

  /// The same key, encrypted with the password `secret`.
  private static let encryptedKey = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjgJyuUGvoHVwICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEELlPmoKAgajzURi8+1EDnucEgZB0
    8REklg78GdB+hiwLbAmuYLo1ZADaYu6SEoXOetgBr2TJKdmuMT+83IsdiHEAe3JP
    3hgNkzlKew0Xntt1JfBlPrd0N7N2YBH3T05biIlR6Vqh4QO/QEmei0vI7D2eUGwA
    49DK8ja0DGoETAKYed5un3mgzrA5aQdOzZNzs91pReTw/JqTDm8+WBFUUm9Inb0=
    -----END ENCRYPTED PRIVATE KEY-----
    """

  @Test("a response that a client certificate may have affected is not stored")
  func cached() async throws {
    var tls = LoopbackServer.TLS.generated
    tls.clientCertificates = .signed(by: Self.certificate)
    let server = try LoopbackServer(tls: tls) {
      .text($0.handshake?.clientSubject ?? "none").header("Cache-Control", "private, max-age=60")
    }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    let identity = try #require(Data(base64Encoded: Self.identity, options: .ignoreUnknownCharacters))
    configuration.tls.clientIdentities["127.0.0.1"] = .init(
      certificate: .data(identity), password: "secret", format: .p12)
    let curl = try CurlTransport(configuration: configuration)
    let transport = CachingTransport(curl, cache: try HTTPCache())
    var request = TransportRequest(url: server.origin, headers: ["Authorization": "mine"])
    #expect(await transport.exchange(request).body == Data("/CN=client".utf8))
    request.cachePolicy = .storedOnly
    #expect(await transport.exchange(request).error == .notStored(url: server.origin))
    #expect(curl.addedCredentials(to: TransportRequest(url: "http://127.0.0.1")).isEmpty)
    #expect(curl.addedCredentials(to: TransportRequest(url: "https://localhost")).isEmpty)
  }

  @Test("a password-protected identity, with its key in PKCS #12, is accepted", arguments: ["file", "data"])
  func protected(kind: String) async throws {
    var tls = LoopbackServer.TLS.generated
    tls.clientCertificates = .signed(by: Self.certificate)
    let server = try LoopbackServer(tls: tls) { .text($0.handshake?.clientSubject ?? "none") }
    let folder = try TemporaryFolder()
    let identity = try #require(Data(base64Encoded: Self.identity, options: .ignoreUnknownCharacters))
    let file = try folder.file(containing: identity)
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    configuration.tls.clientIdentities["127.0.0.1"] = .init(
      certificate: kind == "file" ? .file(file.path) : .data(identity), password: "secret", format: .p12)
    let events = await (try CurlTransport(configuration: configuration)).exchange(.init(url: server.origin))
    #expect(events.body == Data("/CN=client".utf8), "\(String(describing: events.error))")
    withExtendedLifetime(folder) {}
  }

  @Test("an identity in DER is accepted", arguments: ["file", "data"])
  func binary(kind: String) async throws {
    var tls = LoopbackServer.TLS.generated
    tls.clientCertificates = .generated
    let server = try LoopbackServer(tls: tls) { .text($0.handshake?.clientSubject ?? "none") }
    let client = try server.makeClientIdentity(name: "client")
    let (certificate, key) = (try der(client.certificate), try der(client.key))
    let folder = try TemporaryFolder()
    let files = [
      try folder.file("certificate", containing: certificate), try folder.file("key", containing: key),
    ]
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    configuration.tls.clientIdentities["127.0.0.1"] =
      kind == "file"
      ? .init(certificate: .file(files[0].path), key: .file(files[1].path), format: .der)
      : .init(certificate: .data(certificate), key: .data(key), format: .der)
    let events = await (try CurlTransport(configuration: configuration)).exchange(.init(url: server.origin))
    #expect(events.body == Data("/CN=client".utf8), "\(String(describing: events.error))")
    withExtendedLifetime(folder) {}
  }

  #if os(Linux)
    @Test("the password of an encrypted key is not read from the terminal or the standard input")
    func unknownPassword() async {
      await #expect(processExitsWith: .success) {
        // Without a terminal, OpenSSL reads the standard input.
        _ = setsid()
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let answer = Array("secret\n".utf8)
        try #require(write(ends[1], answer, answer.count) == answer.count)
        try #require(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO)
        var tls = LoopbackServer.TLS.generated
        tls.clientCertificates = .signed(by: ClientIdentityTests.certificate)
        let server = try LoopbackServer(tls: tls) { .text($0.handshake?.clientSubject ?? "none") }
        var identity = CurlConfiguration.TLS.ClientIdentity(
          certificate: .data(Data(ClientIdentityTests.certificate.utf8)),
          key: .data(Data(ClientIdentityTests.encryptedKey.utf8)))
        var configuration = CurlConfiguration()
        configuration.tls.authorities = .data(server.authority)
        for (password, body) in [(nil, nil), ("secret", Data("/CN=client".utf8))] as [(String?, Data?)] {
          identity.password = password
          configuration.tls.clientIdentities["127.0.0.1"] = identity
          let transport = try CurlTransport(configuration: configuration)
          let events = await transport.exchange(.init(url: server.origin))
          #expect(events.body == body ?? Data(), "\(String(describing: events.error))")
          #expect((events.error == nil) == (body != nil))
        }
      }
    }
  #endif

  /// Decodes PEM.
  private func der(_ pem: Data) throws -> Data {
    let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-") }
    return try #require(Data(base64Encoded: lines.joined()))
  }
}

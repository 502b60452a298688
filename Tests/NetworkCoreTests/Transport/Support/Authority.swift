import Foundation
import NetworkCore

/// A certificate authority for one test, in a directory of its own that goes with it.
final class Authority: Sendable {
  /// A certificate and its key, as files.
  struct Identity: Sendable {
    let certificate: String
    let key: String

    var pem: Data { FileManager.default.contents(atPath: certificate) ?? Data() }
    var keyPEM: Data { FileManager.default.contents(atPath: key) ?? Data() }

    func parsed() throws -> Certificate {
      try Certificate.certificates(pem: String(decoding: pem, as: UTF8.self))[0]
    }

    /// The pin of the key, made by openssl.
    func pin() throws -> PublicKeyPin {
      let place = URL(fileURLWithPath: certificate).deletingLastPathComponent()
      let key = try Tool.openssl.run(["x509", "-in", certificate, "-noout", "-pubkey"], in: place)
      let der = try Tool.openssl.run(["pkey", "-pubin", "-outform", "der"], input: key, in: place)
      return try PublicKeyPin(
        sha256: Tool.openssl.run(["dgst", "-sha256", "-binary"], input: der, in: place))
    }
  }

  let directory: URL
  let root: Identity

  init(name: String = "Test Authority") throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "authority-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    root = Identity(
      certificate: directory.appendingPathComponent("root.pem").path,
      key: directory.appendingPathComponent("root.key").path)
    try Tool.openssl.run(
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        + ["-keyout", root.key, "-out", root.certificate, "-subj", "/CN=\(name)", "-days", "2"],
      in: directory)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// Issues a certificate for names in openssl's notation; a negative number of days makes one that has expired.
  func issue(_ names: String = "DNS:localhost,IP:127.0.0.1", days: Int = 2) throws -> Identity {
    let id = UUID().uuidString
    let path = directory.appendingPathComponent(id).path
    let identity = Identity(certificate: path + ".pem", key: path + ".key")
    try Tool.openssl.run(
      ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", identity.key]
        + ["-out", path + ".csr", "-subj", "/CN=\(id.prefix(8))"],
      in: directory)
    try Data("subjectAltName=\(names)\n".utf8).write(to: URL(fileURLWithPath: path + ".ext"))
    try Tool.openssl.run(
      ["x509", "-req", "-in", path + ".csr", "-CA", root.certificate, "-CAkey", root.key, "-out"]
        + [identity.certificate, "-days", "\(days)", "-extfile", path + ".ext", "-set_serial"]
        + ["\(UInt32.random(in: 1...UInt32.max))"],
      in: directory)
    return identity
  }
}

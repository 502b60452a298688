import Foundation
import NetworkCore

/// A certificate authority for one test, in a directory that is removed with it.
final class CertificateAuthority: Sendable {
  /// The files of a certificate and its key.
  struct Identity: Sendable {
    let certificate: String
    let key: String

    let pem: Data
    let keyPEM: Data

    /// Reads the files that openssl has written.
    init(certificate: String, key: String) throws {
      self.certificate = certificate
      self.key = key
      pem = try Data(contentsOf: URL(fileURLWithPath: certificate))
      keyPEM = try Data(contentsOf: URL(fileURLWithPath: key))
      guard !pem.isEmpty, !keyPEM.isEmpty else {
        throw InstalledProgram.Failure(
          program: "openssl", status: 0, words: "\(certificate) or \(key) is empty")
      }
    }

    func parsed() throws -> Certificate {
      try Certificate.certificates(pem: String(decoding: pem, as: UTF8.self))[0]
    }

    /// Returns the pin of the key, computed by openssl.
    func pin() throws -> PublicKeyPin {
      let place = URL(fileURLWithPath: certificate).deletingLastPathComponent()
      let key = try InstalledProgram.openssl.run(
        ["x509", "-in", certificate, "-noout", "-pubkey"], in: place)
      let der = try InstalledProgram.openssl.run(
        ["pkey", "-pubin", "-outform", "der"], input: key, in: place)
      return try PublicKeyPin(
        sha256: InstalledProgram.openssl.run(["dgst", "-sha256", "-binary"], input: der, in: place))
    }
  }

  let directory: URL
  let root: Identity

  init(name: String = "Test Authority") throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "authority-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let directory = directory
    let files = ["root.pem", "root.key"].map { directory.appendingPathComponent($0).path }
    try InstalledProgram.openssl.run(
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        + ["-keyout", files[1], "-out", files[0], "-subj", "/CN=\(name)", "-days", "2"]
        + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
      in: directory)
    root = try Identity(certificate: files[0], key: files[1])
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// Issues a certificate for names in openssl's notation; with a negative number of days, the certificate
  /// has expired.
  func issue(_ names: String = "DNS:localhost,IP:127.0.0.1", days: Int = 2) throws -> Identity {
    let id = UUID().uuidString
    let path = directory.appendingPathComponent(id).path
    try InstalledProgram.openssl.run(
      [
        "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
        path + ".key",
      ]
        + ["-out", path + ".csr", "-subj", "/CN=\(id.prefix(8))"],
      in: directory)
    try Data("subjectAltName=\(names)\n".utf8).write(to: URL(fileURLWithPath: path + ".ext"))
    try InstalledProgram.openssl.run(
      ["x509", "-req", "-in", path + ".csr", "-CA", root.certificate, "-CAkey", root.key, "-out"]
        + [path + ".pem", "-days", "\(days)", "-extfile", path + ".ext", "-set_serial"]
        + ["\(UInt32.random(in: 1...UInt32.max))"],
      in: directory)
    return try Identity(certificate: path + ".pem", key: path + ".key")
  }

  /// Creates an OCSP response with the status of a certificate, as a file for a server to staple.
  func ocspResponse(for identity: Identity, isRevoked: Bool) throws -> String {
    let path = identity.certificate
    let words = try InstalledProgram.openssl.run(["x509", "-in", path, "-noout", "-serial"], in: directory)
    let serial = String(decoding: words, as: UTF8.self).split(separator: "=").last?.trimmingCharacters(
      in: .whitespacesAndNewlines)
    let mark = isRevoked ? "R\t491231235959Z\t250101000000Z,keyCompromise" : "V\t491231235959Z\t"
    let index = path + (isRevoked ? ".revoked" : ".good")
    try Data("\(mark)\t\(serial ?? "")\tunknown\t/CN=x\n".utf8).write(to: URL(fileURLWithPath: index))
    try InstalledProgram.openssl.run(
      ["ocsp", "-issuer", root.certificate, "-cert", path, "-no_nonce", "-reqout", index + ".request"],
      in: directory)
    try InstalledProgram.openssl.run(
      ["ocsp", "-index", index, "-CA", root.certificate, "-rsigner", root.certificate, "-rkey", root.key]
        + ["-reqin", index + ".request", "-respout", index + ".der", "-ndays", "1"],
      in: directory)
    return index + ".der"
  }
}

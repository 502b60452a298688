import Foundation

/// A certificate authority for one test, in a directory that is removed with it.
final class CertificateAuthority: Sendable {
  /// The files of a certificate and its key.
  struct Identity: Sendable {
    let certificate: String
    let key: String

    let pem: Data

    /// Reads the files that openssl has written.
    init(certificate: String, key: String) throws {
      self.certificate = certificate
      self.key = key
      pem = try Data(contentsOf: URL(fileURLWithPath: certificate))
      guard !pem.isEmpty, FileManager.default.contents(atPath: key)?.isEmpty == false else {
        throw InstalledProgram.Failure(
          program: "openssl", status: 0, words: "\(certificate) or \(key) is empty")
      }
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
        + ["-keyout", files[1], "-out", files[0], "-subj", "/CN=\(name)", "-days", "2"],
      in: directory)
    root = try Identity(certificate: files[0], key: files[1])
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// Issues a certificate for localhost and 127.0.0.1.
  func issue() throws -> Identity {
    let id = UUID().uuidString
    let path = directory.appendingPathComponent(id).path
    try InstalledProgram.openssl.run(
      [
        "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
        path + ".key",
      ]
        + ["-out", path + ".csr", "-subj", "/CN=\(id.prefix(8))"],
      in: directory)
    let names = Data("subjectAltName=DNS:localhost,IP:127.0.0.1\n".utf8)
    try names.write(to: URL(fileURLWithPath: path + ".ext"))
    try InstalledProgram.openssl.run(
      ["x509", "-req", "-in", path + ".csr", "-CA", root.certificate, "-CAkey", root.key, "-out"]
        + [path + ".pem", "-days", "2", "-extfile", path + ".ext", "-set_serial"]
        + ["\(UInt32.random(in: 1...UInt32.max))"],
      in: directory)
    return try Identity(certificate: path + ".pem", key: path + ".key")
  }
}

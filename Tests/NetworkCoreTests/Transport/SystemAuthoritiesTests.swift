import Foundation
import LoopbackServer
import NetworkCore
import NetworkCoreCurl
import Testing

@Suite("The directory of the system's authorities")
struct SystemAuthoritiesTests {
  /// Writes a bundle and a directory, and returns whether the bundle has everything in the directory.
  private func isContained(_ files: [String: Data], in bundle: Data?) throws -> Bool {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    let directory = folder.appendingPathComponent("certs")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("bundle.crt")
    try bundle?.write(to: file)
    for (name, content) in files { try content.write(to: directory.appendingPathComponent(name)) }
    return SystemAuthorities.areCertificates(ofDirectory: directory.path, inFile: file.path)
  }

  @Test("is needed unless the file has all certificates that OpenSSL can find in it")
  func decision() throws {
    let first = try LoopbackServer(tls: .generated).authority
    let second = try LoopbackServer(tls: .generated).authority
    let bundle = Data("# a comment\n".utf8) + first + Data("\n".utf8) + second
    #expect(
      try isContained(["01234567.0": first, "89abcdef.0": second, "89abcdef.1": first + second], in: bundle))
    #expect(try isContained(["01234567.0": first, "README": Data("hello".utf8)], in: bundle))
    #expect(try isContained(["second.pem": second, "bundle.crt": second], in: first))
    #expect(try isContained([:], in: first))
    // OpenSSL looks for none of these names.
    let others = ["0123456.0", "012345678.0", "0123456g.0", "01234567", "01234567.0.bak"]
    #expect(try isContained(Dictionary(uniqueKeysWithValues: others.map { ($0, second) }), in: first))
    #expect(try !isContained(["01234567.0": second], in: first))
    #expect(try !isContained(["01234567.0": first, "01234567.1": second], in: first))
    #expect(try !isContained(["01234567.0": first + second], in: first))
    #expect(try !isContained(["01234567.r0": first], in: bundle))
    #expect(try !isContained(["01234567.0": first], in: Data()))
    #expect(try !isContained(["01234567.0": first], in: nil))
    let trusted = Data(
      String(decoding: first, as: UTF8.self).replacing("CERTIFICATE", with: "TRUSTED CERTIFICATE").utf8)
    #expect(try !isContained(["01234567.0": trusted], in: bundle))
    #expect(try !isContained(["01234567.0": first.dropLast(30)], in: bundle))
    #expect(!SystemAuthorities.areCertificates(ofDirectory: "/nowhere", inFile: "/nowhere.crt"))
  }
}

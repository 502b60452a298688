import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("SHA-256")
struct SHA256Tests {
  /// The examples of FIPS 180-4 that NIST publishes, and the empty message of its test vectors.
  @Test(
    "matches the examples of the standard, for pieces of any size",
    arguments: [
      ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ], [1_000_000, 997])
  func vectors(vector: (text: String, times: Int, hash: String), size: Int) {
    let bytes = Array(String(repeating: vector.text, count: vector.times).utf8)
    #expect(hex(bytes, inPiecesOf: size) == vector.hash)
  }

  @Test("does not depend on how the bytes are split", arguments: [1, 3, 55, 56, 63, 64, 65, 127, 128])
  func pieces(size: Int) {
    // Every length of a last block, with and without room for the message's length after it.
    for count in 120...192 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      #expect(hex(bytes, inPiecesOf: size) == SHA256.hex(bytes))
    }
  }

  @Test("of a file is the hash of its bytes")
  func file() throws {
    let folder = try TemporaryFolder()
    let bytes = (0..<600_001).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let file = folder.url.appending(path: "bytes")
    try Data(bytes).write(to: file)
    #expect(try SHA256.hex(ofFile: file) == SHA256.hex(bytes))
  }

  private func hex(_ bytes: [UInt8], inPiecesOf size: Int) -> String {
    var hash = SHA256()
    for start in stride(from: 0, to: bytes.count, by: size) { hash.add(bytes[start...].prefix(size)) }
    return hash.finish()
  }
}

import ExampleSupport
import Foundation
import Testing

@Suite("SHA-256")
struct SHA256Tests {
  /// From FIPS 180-2, appendix B, and NIST's examples.
  @Test(
    "is that of the standard's examples",
    arguments: [
      ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
  func vectors(text: String, times: Int, hash: String) {
    #expect(SHA256.hex(Array(String(repeating: text, count: times).utf8)) == hash)
  }

  @Test("does not depend on how the bytes are cut", arguments: [1, 55, 56, 63, 64, 65, 127, 128])
  func pieces(size: Int) {
    let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var hash = SHA256()
    for start in stride(from: 0, to: bytes.count, by: size) { hash.add(bytes[start...].prefix(size)) }
    #expect(hash.finish() == SHA256.hex(bytes))
  }
}

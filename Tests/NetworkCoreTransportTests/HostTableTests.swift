import NetworkCore
import Testing

@Suite("Values by host")
struct HostTableTests {
  @Test(
    "the spelling of a host does not matter",
    arguments: [
      ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.example.", "xn--bcher-kva.example"),
      ("*.bücher.example", "a.xn--bcher-kva.example"), ("xn--bcher-kva.example", "Bücher.example"),
      ("Example.com", "example.com."), ("[::1]", "0:0::1"), ("127.0.0.1", "0x7f000001"),
    ])
  func spellings(key: String, host: String) {
    #expect(HostTable([key: 1])[host] == 1)
    #expect(HostTable<Int>.isPossible(key))
    #expect(HostTable([key: 1])["other.example"] == nil)
  }

  @Test("an asterisk with a dot does not mean all hosts")
  func noName() {
    #expect(HostTable(["*.": 1])["host.example"] == nil)
  }

  @Test("an address with more text after it is not that address")
  func resemblance() {
    #expect(HostTable(["127.0.0.1": 1])["127.0.0.1 x"] == nil)
  }
}

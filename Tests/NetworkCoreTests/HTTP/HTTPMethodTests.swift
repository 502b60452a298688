import NetworkCore
import Testing

@Suite("HTTPMethod")
struct HTTPMethodTests {
  @Test("is safe and idempotent as RFC 9110, section 9.2, defines, and any other method is neither")
  func semantics() {
    let safe: [HTTPMethod] = [.get, .head, .options, .trace, .query]
    for method in safe {
      #expect(method.isSafe, "\(method.rawValue)")
      #expect(method.isIdempotent, "\(method.rawValue)")
    }
    for method in [HTTPMethod.put, .delete] {
      #expect(!method.isSafe, "\(method.rawValue)")
      #expect(method.isIdempotent, "\(method.rawValue)")
    }
    for method in [HTTPMethod.post, .patch, .connect, HTTPMethod(rawValue: "get")] {
      #expect(!method.isSafe, "\(method.rawValue)")
      #expect(!method.isIdempotent, "\(method.rawValue)")
    }
  }
}

import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("The grammar of JSON")
struct JSONSuiteTests {
  struct Text: Decodable, Sendable {
    let text: String?
    /// The bytes of a text that is not UTF-8.
    let hex: String?
    let isValid: Bool

    var data: Data {
      if let text { return Data(text.utf8) }
      var digits = Array(hex ?? "")[...]
      var data = Data()
      while let high = digits.popFirst()?.hexDigitValue, let low = digits.popFirst()?.hexDigitValue {
        data.append(UInt8(high << 4 | low))
      }
      return data
    }
  }

  @Test("the file is complete")
  func file() throws { try ForeignSuite<Text>.check("json", count: 89) }

  @Test(
    "a text is JSON or an error, for both ways to map it", arguments: ForeignSuite<Text>.cases(of: "json"))
  func texts(_ text: ForeignSuite<Text>.Case) {
    let response = Response(statusCode: 200, data: text.content.data)
    let isJSON = (try? response.mapJSON()) != nil
    let isDecoded = (try? response.map(JSONValue.self)) != nil
    text.expect(
      isJSON == text.content.isValid && isDecoded == isJSON, "mapJSON \(isJSON), map \(isDecoded)")
  }
}

import NetworkCore
import Testing

@Suite("The test cases of Content-Disposition")
struct ContentDispositionSuiteTests {
  struct Value: Decodable, Sendable {
    /// The file name; `nil` if the value has none.
    let filename: String?
    /// Whether the value violates the grammar, so that the suite expects it to be ignored.
    let isInvalid: Bool?
  }

  @Test("the file is complete")
  func file() throws { try ForeignSuite<Value>.check("content-disposition", count: 88) }

  @Test("the file name of each value", arguments: ForeignSuite<Value>.cases(of: "content-disposition"))
  func values(_ value: ForeignSuite<Value>.Case) {
    let found = ContentDisposition(value.name).filename
    value.expect(found == value.content.filename, "\(found ?? "nothing")")
  }
}

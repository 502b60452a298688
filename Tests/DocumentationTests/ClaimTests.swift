import Foundation
import Testing

@Suite("Numbers and defaults in documents")
struct ClaimTests {
  @Test("a document states the claim, and its witness holds", arguments: Claim.all)
  func claim(_ claim: Claim) throws {
    let text = try Document(claim.document).text
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains(claim.sentence), "\(claim.document) no longer says: \(claim.sentence)")
    switch claim.witness {
    case .value(let isTrue): #expect(try isTrue())
    case .code(let code, let file): #expect(try Document(file).text.contains(code), "\(file) lacks: \(code)")
    case .test(let name, let file):
      let tests = try Document(file).text.components(separatedBy: "@Test(").dropFirst()
      #expect(tests.contains { $0.prefix(300).contains(name) }, "\(file) has no test named: \(name)")
    }
  }
}

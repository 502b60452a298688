import Foundation
import RxLite
import RxLiteTesting
import Testing

@Suite("The README's marbles")
struct ReadmeExampleTests {
  private static let example = """
    let marbles = Marbles()
    let source = try marbles.hot("-a|")
    try marbles.expect(          "---a|", from: source.delay(.seconds(2), scheduler: marbles.scheduler))
    """

  @Test("are these lines")
  func text() throws {
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.contains(Self.example))
  }

  @Test("do what is drawn")
  func behaviour() throws {
    let marbles = Marbles()
    let source = try marbles.hot("-a|")
    try marbles.expect("---a|", from: source.delay(.seconds(2), scheduler: marbles.scheduler))
  }
}

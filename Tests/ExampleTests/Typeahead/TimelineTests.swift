import Foundation
import LoopbackServer
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("The picture of a timeline", .timeLimit(.minutes(5)))
struct TimelineTests {
  /// The number of elements of each class, and the text of the picture.
  private final class Reading: NSObject, XMLParserDelegate {
    private(set) var classes: [String: Int] = [:]
    private(set) var text = ""

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String] = [:]
    ) {
      if let name = attributes["class"] { classes[name, default: 0] += 1 }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
  }

  /// Runs the program and parses the picture, which must be well-formed.
  private func draw(_ arguments: [String] = [], input: String = "") async throws -> Reading {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).svg")
    defer { try? FileManager.default.removeItem(at: file) }
    let end = try await Program("typeahead").run(arguments + ["--timeline", file.path], input: input.utf8)
    #expect(end.status == 0, "\(end.errors)")
    let parser = XMLParser(data: try Data(contentsOf: file))
    let reading = Reading()
    parser.delegate = reading
    try #require(parser.parse())
    return reading
  }

  @Test("the picture has a key for each keystroke, a bar for each request, and a cross for each cancellation")
  func script() async throws {
    let picture = try await draw()
    #expect(picture.classes["key"] == 14)
    #expect(picture.classes["bar cancelled"] == 4)
    #expect(picture.classes["cancelled disc"] == 4)
    #expect(picture.classes["bar answered"] == 2)
    #expect(picture.classes["shown"] == 2)
    #expect(picture.text.contains("14 keystrokes, 6 requests: 4 taken off the wire, 2 answered"))
    #expect(picture.text.contains("7 results for “swift rx”"))
  }

  @Test("the picture shows a failure and its reason")
  func failure() async throws {
    let picture = try await draw(["--interactive", "--base-url", "http://127.0.0.1:1"], input: "x")
    #expect(picture.classes["bar failed"] == 1)
    #expect(picture.classes["shown"] == nil)
    #expect(picture.text.contains("no connection to 127.0.0.1:1"))
  }

  @Test("the picture is well-formed for any typed text")
  func markup() async throws {
    let server = try LoopbackServer { _ in .json(#"{"total_count": 0, "items": []}"#) }
    let typed = "<&\"\u{FFFF}]]>"
    let picture = try await draw(["--interactive", "--base-url", server.origin], input: typed)
    #expect(picture.classes["key"] == typed.count)
    #expect(picture.text.contains("<&\"\u{FFFD}]]>"))
  }

  @Test("a file that cannot be written is reported before any typing")
  func unwritable() async throws {
    let end = try await Program("typeahead").run(["--timeline", "/nowhere/out.svg"])
    #expect(end.status == 1)
    #expect(end.output.isEmpty)
    #expect(end.errors.contains("cannot write /nowhere/out.svg: No such file or directory"))
  }
}

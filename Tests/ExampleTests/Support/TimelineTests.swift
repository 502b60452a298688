import Foundation
import LoopbackServer
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("The timeline of a program's requests", .timeLimit(.minutes(5)))
struct TimelineTests {
  /// The number of elements of each name and class, and the text of the picture.
  private final class SVGElements: NSObject, XMLParserDelegate {
    private(set) var elements: [String: Int] = [:]
    private(set) var text = ""

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String] = [:]
    ) {
      if let kind = attributes["class"] { elements["\(name) \(kind)", default: 0] += 1 }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
  }

  /// Runs a program and parses the picture, which must be well-formed.
  private func draw(
    _ arguments: [String] = [], input: String = "", by program: String = "typeahead"
  ) async throws -> SVGElements {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).svg")
    defer { try? FileManager.default.removeItem(at: file) }
    let result = try await ExampleProgram(program).run(
      arguments + ["--timeline", file.path], input: input.utf8)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    let parser = XMLParser(data: try Data(contentsOf: file))
    let reading = SVGElements()
    parser.delegate = reading
    try #require(parser.parse())
    return reading
  }

  @Test("typeahead's picture has a bar for each request, and a mark for each keystroke and result")
  func script() async throws {
    let picture = try await draw()
    // 4 and 2, unless the machine is so busy that a response comes after the next keystroke.
    let cancelled = picture.elements["g request cancelled"] ?? 0
    let answered = picture.elements["g request answered"] ?? 0
    #expect(cancelled > 0)
    #expect(answered > 0)
    #expect(picture.elements["path mark"] == 14 + answered)
    #expect(
      picture.text.contains("\(cancelled + answered) requests, \(answered) answered, \(cancelled) cancelled"))
    #expect(picture.text.contains("GET repositories?"))
    #expect(picture.text.contains("7 results for “swift rx”"))
  }

  @Test("the picture shows a failure and its reason")
  func failure() async throws {
    let picture = try await draw(["--interactive", "--base-url", "http://127.0.0.1:1"], input: "x")
    #expect(picture.elements["g request failed"] == 1)
    #expect(picture.text.contains("no connection to 127.0.0.1:1"))
  }

  @Test("the picture is well-formed for any typed text")
  func markup() async throws {
    let server = try LoopbackServer { _ in .json(#"{"total_count": 0, "items": []}"#) }
    let typed = "<&\"\u{FFFF}]]>"
    let picture = try await draw(["--interactive", "--base-url", server.origin], input: typed)
    #expect(picture.elements["path mark"] == typed.count + 1)
    #expect(picture.text.contains("“<&\"\u{FFFD}]]>”"))
  }

  @Test(
    "every program draws its requests",
    arguments: [("watcher", ["--once"], 3), ("downloader", [], 3), ("uploader", [], 3)])
  func programs(program: String, arguments: [String], requests: Int) async throws {
    let picture = try await draw(arguments, by: program)
    let count = picture.elements.filter { $0.key.hasPrefix("g request") }.values.reduce(0, +)
    #expect(count >= requests)
    #expect(picture.text.contains("\(count) requests"))
  }

  @Test("a file that cannot be written is reported before any typing")
  func unwritable() async throws {
    let result = try await ExampleProgram("typeahead").run(["--timeline", "/nowhere/out.svg"])
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("cannot write /nowhere/out.svg: No such file or directory"))
  }
}

import Foundation
import NetworkCore
import Testing

@Suite("Splitting chunks into lines")
struct LineSplitterTests {
  struct SplitCase: Sendable {
    let text: String
    let lines: [String]
    var ending = LineSplitter.Ending.any
  }

  static let texts = [
    SplitCase(text: "", lines: []),
    SplitCase(text: "one", lines: ["one"]),
    SplitCase(text: "one\n", lines: ["one"]),
    SplitCase(text: "\n\n", lines: ["", ""]),
    SplitCase(text: "a\nb\rc\r\nd\r\re\n\rf", lines: ["a", "b", "c", "d", "", "e", "", "f"]),
    SplitCase(text: "\r\n\r\n", lines: ["", ""]),
    SplitCase(text: "grüße 👩‍👩‍👧\r\né\u{301}\n", lines: ["grüße 👩‍👩‍👧", "é\u{301}"]),
    SplitCase(text: "a\rb\r\nc\n\r", lines: ["a\rb", "c", "\r"], ending: .lineFeed),
    SplitCase(text: "a\r", lines: ["a\r"], ending: .lineFeed),
  ]

  @Test("the lines are the same wherever the chunks split the text", arguments: texts)
  func everySplit(text: SplitCase) throws {
    let bytes = Data(text.text.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        var splitter = LineSplitter(ending: text.ending)
        var lines = try splitter.append(bytes[..<first])
        lines += try splitter.append(bytes[first..<second])
        lines += try splitter.append(bytes[second...])
        lines += splitter.finish()
        #expect(lines == text.lines, "split at \(first) and \(second)")
      }
    }
  }

  @Test("a line is returned as soon as its ending arrives")
  func early() throws {
    var splitter = LineSplitter()
    #expect(try splitter.append(Data("one\r".utf8)) == ["one"])
    #expect(try splitter.append(Data("\ntwo\n".utf8)) == ["two"])
  }

  @Test("bytes that are not UTF-8 are replaced")
  func notUTF8() throws {
    var splitter = LineSplitter()
    #expect(try splitter.append(Data([0x61, 0xFF, 0x62, 0x0A])) == ["a\u{FFFD}b"])
  }

  @Test(
    "a line that is too long is an error, with or without its ending", arguments: [1, 3, 8],
    [LineSplitter.Ending.any, .lineFeed])
  func limit(chunk: Int, ending: LineSplitter.Ending) throws {
    func lines(_ text: String) throws -> [String] {
      var splitter = LineSplitter(ending: ending, limit: 4)
      let bytes = Data(text.utf8)
      var lines: [String] = []
      for start in stride(from: 0, to: bytes.count, by: chunk) {
        lines += try splitter.append(bytes[start..<min(bytes.count, start + chunk)])
      }
      return lines + splitter.finish()
    }
    #expect(try lines("1234\r\n1234\n") == ["1234", "1234"])
    #expect(try lines("1234") == ["1234"])
    #expect(throws: StreamError.lineTooLong(limit: 4)) { try lines("12345") }
    #expect(throws: StreamError.lineTooLong(limit: 4)) { try lines("12345\n") }
    #expect(throws: StreamError.lineTooLong(limit: 4)) { try lines("ok\n123456") }
    var unlimited = LineSplitter(limit: .max)
    #expect(try unlimited.append(Data("1\n2".utf8)) == ["1"])
  }

  @Test("a line may have a mebibyte by default, and not one byte more")
  func usualLimit() throws {
    var splitter = LineSplitter()
    #expect(try splitter.append(Data(repeating: 0x61, count: 1 << 20)).isEmpty)
    #expect(throws: StreamError.lineTooLong(limit: 1 << 20)) { try splitter.append(Data("a".utf8)) }
  }

  @Test("the lines before a line that is too long are returned at the end", arguments: ["", "\n"])
  func linesBeforeError(ending: String) throws {
    var splitter = LineSplitter(limit: 4)
    #expect(try splitter.append(Data("1\n2".utf8)) == ["1"])
    #expect(throws: StreamError.lineTooLong(limit: 4)) {
      try splitter.append(Data("\n3\n123456\(ending)".utf8))
    }
    #expect(splitter.finish() == ["2", "3"])
    #expect(splitter.finish().isEmpty)
  }

  @Test("the beginning of a line that is too long is not returned at the end")
  func beginningOfLongLine() throws {
    var splitter = LineSplitter(limit: 4)
    #expect(try splitter.append(Data("123".utf8)).isEmpty)
    #expect(throws: StreamError.lineTooLong(limit: 4)) { try splitter.append(Data("456".utf8)) }
    #expect(splitter.finish().isEmpty)
  }

  @Test("a splitter begins anew after finish()")
  func reused() throws {
    var splitter = LineSplitter()
    #expect(try splitter.append(Data("a\r".utf8)) == ["a"])
    #expect(splitter.finish().isEmpty)
    #expect(try splitter.append(Data("\nb\n".utf8)) == ["", "b"])
  }
}

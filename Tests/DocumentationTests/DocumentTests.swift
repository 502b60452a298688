import Foundation
import NetworkCore
import Testing

/// Checks that the examples of each document are in the file with its name in this folder, where the compiler
/// has checked them; most of these files also run them.
@Suite("Documents and their examples")
struct DocumentTests {
  @Test("each example of a document is compiled, in the same order, in the file with the document's name")
  func examples() throws {
    let documents = try Document.all().filter { !$0.examples.isEmpty }
    #expect(documents.count > 10)
    #expect(Set(documents.map(\.compiledPath)).count == documents.count, "two documents have the same file")
    for document in documents {
      let compiled = Document.lines(try Document(document.compiledPath).text)
      // An example of the README is an excerpt from a program.
      let pipeline = Document.lines(try Document("Examples/Typeahead/SearchPipeline.swift").text)
      let examples = document.examples.filter {
        document.path != "README.md" || !pipeline.contains(inOrder: $0)
      }
      // Imports are ignored, because a compiled file has all of them at its top.
      let shown = examples.joined().filter { !$0.contains("import ") }
      var rest = compiled[...]
      for line in shown {
        let index = rest.firstIndex(of: line)
        #expect(index != nil, "\(document.compiledPath) lacks this line, or has it elsewhere: \(line)")
        if let index { rest = rest[(index + 1)...] }
      }
    }
  }

  @Test("each example in a source comment is compiled in Comments")
  func comments() throws {
    let folder = "Tests/DocumentationTests/Comments"
    let names = try FileManager.default.subpathsOfDirectory(
      atPath: Document.root.appending(path: folder).path)
    let compiled = try names.map { Document.code(try Document("\(folder)/\($0)").text) }
    let sources = try Document.sources()
    #expect(sources.count > 50)
    for source in sources {
      for example in source.commentExamples {
        let isCompiled = compiled.contains { $0.contains(inOrder: example) }
        #expect(isCompiled, "no file of Comments has this example of \(source.path): \(example)")
      }
    }
  }

  @Test("Getting started shows the files of Examples/Hello")
  func hello() throws {
    let article = try Document("Sources/ReactiveNetwork/ReactiveNetwork.docc/GettingStarted.md").text
    for file in ["Package.swift", "Sources/hello/main.swift", "Tests/helloTests/NamesTests.swift"] {
      let text = try Document("Examples/Hello/\(file)").text
      #expect(article.contains("```swift\n\(text)```"), "the article lacks \(file), or has another text")
    }
  }

  @Test("documents link only to existing files")
  func links() throws {
    for document in try Document.all() {
      for file in document.links {
        #expect(
          FileManager.default.fileExists(atPath: file),
          "\(document.path) links to \(file), which does not exist")
      }
    }
  }

  @Test("the change log begins with the version in the User-Agent of requests")
  func version() throws {
    let newest = try Document("CHANGELOG.md").text.firstMatch(of: /\n## (?<version>[0-9.]+)/)?.version
    #expect(newest.map { HTTPHeader.defaultUserAgent.value.hasSuffix(" ReactiveNetwork/\($0)") } == true)
  }

  @Test(
    "the README and the guide for contributors are short",
    arguments: [("README.md", 1_200), ("CONTRIBUTING.md", 2_000)])
  func length(path: String, limit: Int) throws {
    let count = try Document(path).text.split(whereSeparator: \.isWhitespace).count
    #expect(count <= limit, "\(path) has \(count) words: say less")
  }
}

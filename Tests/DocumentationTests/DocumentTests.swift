import Foundation
import Testing

/// The examples of a document stand in the file of its name in this folder, so that the compiler has read them; most of
/// these files run them, too.
@Suite("The documents")
struct DocumentTests {
  @Test("have no example but what stands, line by line and in this order, in the compiled file of their name")
  func examples() throws {
    let documents = try Document.all().filter { !$0.examples.isEmpty }
    #expect(documents.count > 10)
    #expect(Set(documents.map(\.name)).count == documents.count, "two documents of one name")
    for document in documents {
      let file = Document.root.appending(path: "Tests/DocumentationTests/\(document.name).swift")
      let compiled = Document.lines(try String(contentsOf: file, encoding: .utf8))
      // A file imports at its top what the examples import one after the other.
      let shown = document.examples.joined().filter { !$0.contains("import ") }
      var rest = compiled[...]
      for line in shown {
        let index = rest.firstIndex(of: line)
        #expect(index != nil, "\(document.name).swift has not, or elsewhere: \(line)")
        if let index { rest = rest[(index + 1)...] }
      }
    }
  }

  @Test("of the sources, which are their comments, show nothing that is not compiled in Comments")
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
        #expect(isCompiled, "\(source.path) shows what is in no file of Comments: \(example)")
      }
    }
  }

  @Test("link to files that are there")
  func links() throws {
    for document in try Document.all() {
      for file in document.links {
        #expect(FileManager.default.fileExists(atPath: file), "\(document.path) links to \(file)")
      }
    }
  }

  @Test("begin with a README of fewer than 200 lines")
  func readme() throws {
    let readme = try Document("README.md").text
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count < 200)
  }
}

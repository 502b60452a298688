import Foundation
import Testing

/// What a reader may expect of every article.
@Suite("Articles")
struct ArticleTests {
  /// The articles that may be longer, and why.
  private static let longArticles: [String: String] = [:]

  private static func articles() throws -> [Document] {
    try Document.all().filter { $0.path.contains(".docc/") || $0.path.hasPrefix("Documentation/") }
  }

  @Test("an article has at most 900 words")
  func length() throws {
    for article in try Self.articles() where Self.longArticles[article.path] == nil {
      let count = article.text.split(whereSeparator: \.isWhitespace).count
      #expect(count <= 900, "\(article.path) has \(count) words: shorten it, or split it by task")
    }
  }

  @Test("an article begins with a title and a paragraph that says what it is for")
  func firstParagraph() throws {
    for article in try Self.articles() {
      let blocks = article.text.components(separatedBy: "\n\n")
      #expect(blocks[0].hasPrefix("# ") && !blocks[0].contains("\n"), "\(article.path) has no title")
      let paragraph = blocks.count > 1 ? blocks[1].trimmingCharacters(in: .whitespacesAndNewlines) : ""
      let isProse = !["#", "|", "```", "- ", "!["].contains { paragraph.hasPrefix($0) }
      #expect(
        isProse && paragraph.contains(/[.:]$/),
        "\(article.path) has no paragraph below its title: \(paragraph)")
    }
  }

  @Test("a link to an article names one of the same module, and its front page lists all of them")
  func links() throws {
    let catalogs = Dictionary(grouping: try Self.articles().filter { $0.path.contains(".docc/") }) {
      $0.path.components(separatedBy: ".docc/")[0]
    }
    #expect(catalogs.count > 10)
    for articles in catalogs.values {
      let names = Set(articles.map(\.name))
      for article in articles {
        for link in article.text.matches(of: /<doc:(\w+)>/) {
          #expect(names.contains(String(link.1)), "\(article.path) links to \(link.0), which does not exist")
        }
        let isFrontPage = article.text.hasPrefix("# ``")
        let frontPage = try #require(articles.first { $0.text.hasPrefix("# ``") })
        #expect(
          isFrontPage || frontPage.topics.contains("- <doc:\(article.name)>"),
          "\(frontPage.path) does not list \(article.name)")
      }
    }
  }
}

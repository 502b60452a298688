import Foundation
import Testing

/// The front page of a module lists its public types by task.
@Suite("Topics of modules")
struct TopicsTests {
  /// The other targets whose names are a module's to its users.
  private static let parts = ["NetworkCore": ["NetworkCoreTransport", "NetworkCoreCurl"]]
  /// Types that exist only on Apple's platforms, so DocC on Linux finds no symbol for a link.
  private static let absentOnLinux: Set = ["Image", "ImageType"]

  @Test("a module's Topics have each of its public types")
  func types() throws {
    let pages = try Document.all().filter { $0.text.hasPrefix("# ``") }
    #expect(pages.count > 10)
    for page in pages {
      let targets = [page.name] + Self.parts[page.name, default: []]
      let types = try targets.flatMap { try Document.publicTypes(of: $0) }
      #expect(!types.isEmpty, "\(page.name) has no public types")
      let listed = Set(page.topics.matches(of: /- ``(\w+)/).map { String($0.1) })
      let missing = types.filter { !listed.contains($0) && !Self.absentOnLinux.contains($0) }
      #expect(missing.isEmpty, "\(page.path) lists these types in no topic: \(missing)")
    }
  }

  @Test("the page of types by task lists each public type of the core modules once, and nothing else")
  func tasks() throws {
    let targets = [
      "RxLite", "RxLiteTesting", "NetworkCore", "NetworkCoreTransport", "NetworkCoreCurl", "ReactiveNetwork",
      "MainLoops", "NetworkWaterfall", "TransportTesting",
    ]
    let rows = try Document("Documentation/TypesByTask.md").text.split(separator: "\n").filter {
      $0.hasPrefix("|")
    }
    let listed = rows.flatMap { $0.matches(of: /`([A-Z]\w+)`/).map { String($0.1) } }
    #expect(listed.sorted() == Set(try targets.flatMap { try Document.publicTypes(of: $0) }).sorted())
  }
}

extension Document {
  /// The lists of the front page of a module.
  var topics: String { text.components(separatedBy: "## Topics\n").last ?? "" }

  /// Returns the names of a target's public types and aliases, without nested ones.
  static func publicTypes(of target: String) throws -> [String] {
    let folder = "Sources/\(target)"
    let files = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
    return try files.filter { $0.hasSuffix(".swift") }.sorted()
      .flatMap { try Document("\(folder)/\($0)").publicTypes }
  }

  private var publicTypes: [String] {
    let declaration =
      #/(?:@\S+ )*(?:public|open) (?:final |indirect )*(?:struct|class|enum|protocol|actor|typealias) (?<name>\w+)/#
    var condition = false
    return text.split(separator: "\n").compactMap { line in
      let isIndented = line.hasPrefix(" ")
      if !isIndented { condition = line.hasPrefix("#") && !line.hasPrefix("#endif") }
      // The code of a condition is indented by one step.
      guard !isIndented || condition && line.hasPrefix("  ") && !line.hasPrefix("   ") else { return nil }
      return line.drop { $0 == " " }.prefixMatch(of: declaration).map { String($0.name) }
    }
  }
}

import Foundation
import Testing

/// The arrows between the targets, as `Documentation/Architecture.md` draws them.
@Suite("The arrows between the targets")
struct ArrowsTests {
  private static let arrows: [String: Set<String>] = [
    "CNetworkCoreCurl": [],
    "LoopbackServer": ["ReactiveNetworkLock"],
    "MicroyaCompatibility": ["ReactiveNetwork"],
    "MoyaCompatibility": ["ReactiveNetwork"],
    "NetworkCore": ["NetworkCoreCurl", "NetworkCoreTransport", "ReactiveNetworkLock"],
    "NetworkCoreCurl": ["CNetworkCoreCurl", "NetworkCoreTransport", "ReactiveNetworkLock"],
    "NetworkCoreTransport": ["ReactiveNetworkLock"],
    "ObjectMapperCompatibility": ["ReactiveNetwork", "NetworkCore", "RxLite"],
    "ReactiveNetwork": ["NetworkCore", "ReactiveNetworkLock", "RxLite"],
    "ReactiveNetworkLock": [],
    "ReactiveSwiftCompatibility": [
      "NetworkCore", "ObjectMapperCompatibility", "ReactiveNetwork", "ReactiveNetworkLock", "RxLite",
    ],
    "RxLite": ["ReactiveNetworkLock"],
    "RxLiteTesting": ["RxLite"],
  ]

  private static let sources = Document.root.appending(path: "Sources")

  @Test("each folder of Sources is in the picture")
  func targets() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path)
    #expect(Set(folders) == Set(Self.arrows.keys))
  }

  @Test("a target imports only the targets below it", arguments: arrows.keys.sorted())
  func imports(target: String) throws {
    let folder = Self.sources.appending(path: target)
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let pattern =
      #/^ *(?:@\w+ )?(?:(?:public|package|internal) )?import (?:(?:struct|class|enum|func) )?(\w+)/#
      .anchorsMatchLineEndings()
    var imported: Set<String> = []
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      imported.formUnion(text.matches(of: pattern).map { String($0.1) })
    }
    #expect(imported.intersection(Self.arrows.keys) == Self.arrows[target])
  }
}

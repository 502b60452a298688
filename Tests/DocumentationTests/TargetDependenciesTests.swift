import Foundation
import Testing

/// The dependencies between the targets, as `Documentation/Architecture.md` draws them.
@Suite("Dependencies between the targets")
struct TargetDependenciesTests {
  private static let dependencies: [String: Set<String>] = [
    "CLoopbackServer": [],
    "CNetworkCoreCurl": [],
    "LoopbackServer": ["CLoopbackServer", "ReactiveNetworkLock"],
    "MainLoops": [],
    "MicroyaCompatibility": ["ReactiveNetwork"],
    "MoyaCompatibility": ["ReactiveNetwork"],
    "NetworkCore": ["NetworkCoreCurl", "NetworkCoreTransport", "ReactiveNetworkLock"],
    "NetworkCoreCurl": ["CNetworkCoreCurl", "NetworkCoreTransport", "ReactiveNetworkLock"],
    "NetworkCoreTransport": ["ReactiveNetworkLock"],
    "NetworkWaterfall": ["NetworkCore", "ReactiveNetworkLock"],
    "ObjectMapperCompatibility": ["ReactiveNetwork", "NetworkCore", "RxLite"],
    "ReactiveNetwork": ["NetworkCore", "ReactiveNetworkLock", "RxLite"],
    "ReactiveNetworkLock": [],
    "ReactiveSwiftCompatibility": [
      "NetworkCore", "ObjectMapperCompatibility", "ReactiveNetwork", "ReactiveNetworkLock", "RxLite",
    ],
    "RxLite": ["ReactiveNetworkLock"],
    "RxLiteTesting": ["RxLite"],
    "TransportTesting": ["LoopbackServer", "NetworkCoreTransport", "ReactiveNetworkLock"],
  ]

  private static let sources = Document.root.appending(path: "Sources")

  @Test("each folder of Sources has an entry in the expected dependencies")
  func targets() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path)
    #expect(Set(folders) == Set(Self.dependencies.keys))
  }

  @Test("a target imports only the targets below it", arguments: dependencies.keys.sorted())
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
    #expect(imported.intersection(Self.dependencies.keys) == Self.dependencies[target])
  }
}

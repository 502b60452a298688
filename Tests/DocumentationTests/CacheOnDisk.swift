import Foundation
import NetworkCore
import Testing

private enum Examples {
  static func caching(_ folder: URL) throws -> NetworkProvider<API> {
    let cache = try HTTPCache(memoryCapacity: 4 << 20, diskCapacity: 50 << 20, directory: folder)
    let provider = NetworkProvider<API>(transport: CachingTransport(try CurlTransport(), cache: cache))
    return provider
  }
}

@Suite("Examples in Keep a cache on disk")
struct CacheOnDiskTests {
  @Test("the folder of a cache is created")
  func folder() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "DocumentationTests-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try Examples.caching(folder)
    #expect(FileManager.default.fileExists(atPath: folder.path))
  }
}

import Foundation
import MoyaCompatibility
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The destinations of Alamofire")
struct DownloadRequestTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("a suggested destination is in its folder, with its options")
  func destination() throws {
    let url = URL(staticString: "http://h/folder/file")
    let response = try #require(
      HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
    for options in [[], .removePreviousFile, [.removePreviousFile, .createIntermediateDirectories]]
      as [DownloadOptions]
    {
      let own = DownloadRequest.suggestedDownloadDestination(in: folder.url, options: options)(url, response)
      #expect(own.destinationURL == folder.file())
      #expect(own.options == options)
      let caches = DownloadRequest.suggestedDownloadDestination(
        for: .cachesDirectory, in: .userDomainMask, options: options)(url, response)
      #expect(caches.destinationURL.lastPathComponent == "file")
      #expect(
        caches.destinationURL.deletingLastPathComponent().path
          == FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?.path)
      #expect(caches.options == options)
    }
  }
}

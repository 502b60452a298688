#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import Foundation
import LoopbackServer
import Testing

@Suite("Addresses of the server", .timeLimit(.minutes(5)))
struct AddressTests {
  @Test("a server on ::1 is reached there, and its URL names the address in brackets")
  func ipv6() throws {
    let server = try LoopbackServer(on: .ipv6()) { _ in .text("six") }
    #expect(server.origin == "http://[::1]:\(server.port)")
    #expect(try RawClient(ipv6Port: server.port).response("GET", "/").text == "six")
  }

  @Test("a server on a Unix socket is reached by its path, and deletes the file when it stops")
  func unix() throws {
    let path = "\(NSTemporaryDirectory())/\(UUID().uuidString.prefix(8)).sock"
    let server = try LoopbackServer(on: .unix(path: path)) { _ in .text("unix") }
    #expect(server.origin == "http://localhost")
    #expect(server.port == 0)
    #expect(try RawClient(unixSocket: path).response("GET", "/").text == "unix")
    let error = #expect(throws: LoopbackServer.SystemError.self) { try LoopbackServer(on: .unix(path: path)) }
    #expect(error?.call == "bind")
    server.stop()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("the longest path of a Unix socket is used, and one byte more is refused")
  func longestPath() throws {
    let longest = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
    let start = "/tmp/\(UUID().uuidString)"
    let path = start + String(repeating: "x", count: longest - start.utf8.count)
    let server = try LoopbackServer(on: .unix(path: path)) { _ in .text("unix") }
    #expect(try RawClient(unixSocket: path).response("GET", "/").text == "unix")
    let error = #expect(throws: LoopbackServer.SystemError.self) {
      try LoopbackServer(on: .unix(path: path + "x"))
    }
    #expect(error?.code == ENAMETOOLONG)
    server.stop()
  }

  @Test("a path that is too long for a Unix socket is refused, and named")
  func longPath() {
    let path = "/tmp/" + String(repeating: "x", count: 108)
    let error = #expect(throws: LoopbackServer.SystemError.self) { try LoopbackServer(on: .unix(path: path)) }
    #expect(error?.description.contains(path) == true)
  }
}

import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if os(Linux)
  @Suite("Sockets that the system cannot watch", .timeLimit(.minutes(5)))
  struct UnwatchedSocketTests {
    @Test("a transfer whose socket cannot be watched ends with an error instead of hanging")
    func unwatched() async throws {
      // In a separate process, in which the transport's event queue is closed.
      await #expect(processExitsWith: .success) {
        let before = Set(ProcessFacts.eventQueues)
        let transport = try CurlTransport()
        let queue = try #require(ProcessFacts.eventQueues.first { !before.contains($0) })
        let nothing = open("/dev/null", O_RDWR)
        dup2(nothing, queue)
        let server = try LoopbackServer { _ in .text("ok") }
        let events = await transport.exchange(.init(url: server.origin))
        guard case .other(Int(EINVAL), let words)? = events.error, words.contains("watched") else { exit(1) }
      }
    }
  }

  extension ProcessFacts {
    /// The descriptors of epoll queues.
    fileprivate static var eventQueues: [CInt] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      return names.compactMap { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
        return target?.contains("eventpoll") == true ? CInt(name) : nil
      }
    }
  }
#endif

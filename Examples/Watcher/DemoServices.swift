import Foundation
import LoopbackServer
import ReactiveNetworkLock

/// A server in this process with three services: one responds at once, one is slow, and one fails every other
/// time.
struct DemoServices {
  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer { _ in .json(#"{"queue": 3}"#) }
    server.route("/weather") { _ in .json(#"{"degrees": 21}"#).delayed(by: .milliseconds(50)) }
    let isBroken = Lock(false)
    server.route("/builds") { _ in
      isBroken.withLock { isBroken in
        isBroken.toggle()
        return isBroken
      } ? .status(503) : .json(#"{"green": true}"#)
    }
  }

  var urls: [URL] { ["queue", "weather", "builds"].map { server.baseURL.appending(path: $0) } }
}

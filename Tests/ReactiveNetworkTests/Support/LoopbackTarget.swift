import Foundation
import LoopbackServer
import NetworkCore

/// A target on a loopback server.
struct LoopbackTarget: TargetType {
  let baseURL: URL
  let path: String
  /// Lives as long as the request is referenced.
  var companion: TrackedObject?

  init(_ server: LoopbackServer, _ path: String, companion: TrackedObject? = nil) {
    self.baseURL = server.baseURL
    self.path = path
    self.companion = companion
  }
}

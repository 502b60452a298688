import Foundation
import LoopbackServer
import NetworkCore

/// A page of a loopback server.
struct Page: TargetType {
  let baseURL: URL
  let path: String
  /// Lives as long as the request is referenced.
  var companion: Tracked?

  init(_ server: LoopbackServer, _ path: String, companion: Tracked? = nil) {
    self.baseURL = server.baseURL
    self.path = path
    self.companion = companion
  }
}

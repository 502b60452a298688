import Foundation
import LoopbackServer

/// The server of the application, in this process.
final class CodeHost {
  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("POST", "/login") { _ in .json(#"{"access": "first", "refresh": "next"}"#) }
    server.route("POST", "/refresh") { _ in .json(#"{"access": "second", "refresh": "next"}"#) }
    server.route("GET", "/users/:name") { request in
      request.headers["Authorization"] == "Bearer second"
        ? .json(#"{"login": "\#(request.parameters["name"] ?? "")", "id": 1}"#)
        : .json(#"{"message": "expired"}"#, status: 401)
    }
    server.route("GET", "/search/repositories") { request in
      request.query("q") == "slow"
        ? .never : .json(#"{"items": [{"id": 1, "full_name": "found/\#(request.query("q") ?? "")"}]}"#)
    }
    server.route("GET", "/users/:name/repos") { request in
      switch request.query("page") {
      case "1": .json(#"[{"id": 1, "full_name": "ash/one"}, {"id": 2, "full_name": "ash/two"}]"#)
      case "2": .json(#"[{"id": 3, "full_name": "ash/three"}]"#)
      default: .json("[]")
      }
    }
    server.route("POST", "/uploads") { _ in .status(201) }
  }

  var url: URL { return server.baseURL }
  var requestCount: Int { return server.log.requestCount }
  /// The number of requests whose token had expired.
  var refusals: Int {
    return server.log.requests.filter {
      $0.path == "/users/ash" && $0.headers["Authorization"] != "Bearer second"
    }.count
  }

  func waitForHeldRequest() throws { try server.waitUntil { $0.pending == 1 } }
  func waitForAbandonedRequest() throws { try server.waitUntil { $0.abandoned.count == 1 } }
}

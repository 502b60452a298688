import LoopbackServer

/// A server in this process that responds like the search API of a code host, from the built-in catalogue.
enum SearchServer {
  /// The time that each response takes.
  static let latency = Duration.milliseconds(320)

  static func start() throws -> LoopbackServer {
    let server = try LoopbackServer()
    server.route("GET", "/search/repositories") { request in
      guard let query = request.query("q"), !query.isEmpty else {
        return .json(#"{"message": "Validation Failed"}"#, status: 422)
      }
      let found = Catalogue.builtIn.search(query)
      let page = request.query("per_page").flatMap { Int($0) } ?? 30
      return .json(encoding: SearchPage(totalCount: found.count, items: Array(found.prefix(max(0, page)))))
        .delayed(by: latency)
    }
    return server
  }
}

internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension RedirectPolicy {
  /// Follows up to sixteen redirects, and asks a handler about each.
  package init(_ handler: any RedirectHandler) {
    self.init(limit: Self.standardLimit, allowsDowngrade: false, follows: true) {
      (redirection, proceed) throws(TransferError) in
      let head = redirection.head
      guard let response = head.httpURLResponse else { throw .unsupportedURL(head.url) }
      let task = RedirectedTask(
        original: try redirection.original.handlerRequest(),
        current: try redirection.current.handlerRequest(), redirect: response)
      let proposed = redirection.proposed
      let shown = try proposed.handlerRequest()
      handler.task(task, willBeRedirectedTo: shown, for: response) { choice in
        proceed(choice.map { proposed.changed(from: shown, to: $0) })
      }
    }
  }
}

extension TransportRequest {
  /// The request as handlers see it: without a streamed body, and without credentials that only transports
  /// use.
  fileprivate func handlerRequest() throws(TransferError) -> URLRequest {
    var shown = self
    shown.credential = nil
    return try URLRequest(shown)
  }

  /// Returns the request with the handler's changes; unchanged parts stay as they were, including the order
  /// of the fields.
  fileprivate func changed(from shown: URLRequest, to choice: URLRequest) -> TransportRequest {
    var next = self
    if choice.url != shown.url { next.url = choice.url?.absoluteString ?? "" }
    if choice.httpMethod != shown.httpMethod {
      next.method = HTTPMethod(rawValue: choice.httpMethod ?? "GET")
    }
    // One by one, because Foundation joins the fields of one name: it would seem that the handler has set them.
    let (fields, old) = (choice.allHTTPHeaderFields ?? [:], shown.allHTTPHeaderFields ?? [:])
    for name in old.keys where fields[name] == nil { next.headers.remove(name: name) }
    for field in HTTPHeaders(fields) where old[field.name] != field.value { next.headers.update(field) }
    if choice.httpBody != shown.httpBody {
      next.body = choice.httpBody.map { .data($0) } ?? .none
    } else if shown.httpBody == nil, next.method != method, !next.method.anticipatesContent {
      // The body of a file or a stream is not shown, so a handler that makes a GET of a POST cannot remove it.
      next.removeContent()
    }
    return next
  }
}

import ReactiveNetwork

/// Explains in one line why a request failed.
package func explanation(of error: any Error) -> String {
  switch error as? NetworkError {
  case .statusCode(let response)?: explanation(of: response)
  case .objectMapping?: "malformed JSON in the response"
  case .underlying(let error as TransferError, _)?: explanation(of: error)
  default: error.localizedDescription
  }
}

extension Error {
  /// `true` if a retry of the request may succeed.
  package var isTransient: Bool { (self as? NetworkError)?.isTransient ?? false }

  /// `true` if the server refused the credential (status 401).
  package var isUnauthorized: Bool { (self as? NetworkError)?.response?.statusCode == 401 }
}

private func explanation(of error: TransferError) -> String {
  switch error {
  case .cannotConnect(let url, _, _):
    "no connection to \(URL(string: url)?.authority ?? url)"
  case .timedOut(_, let limit, _): "no response within \((limit / .seconds(1)).formatted()) s"
  default: error.localizedDescription
  }
}

private func explanation(of response: Response) -> String {
  let status = response.statusCode
  guard status == 403 || status == 429, let wait = response.secondsToWait else {
    return "the server responded with \(status)"
  }
  return "rate limit (\(status)), try again in \(wait) s"
}

extension Response {
  /// The wait that a server requests when it limits the rate of requests, in `Retry-After` or in the
  /// `X-RateLimit` fields.
  fileprivate var secondsToWait: Int? {
    if let seconds = headers["Retry-After"].flatMap({ Int($0) }) { return max(0, seconds) }
    guard headers["X-RateLimit-Remaining"] == "0" else { return nil }
    guard let reset = headers["X-RateLimit-Reset"].flatMap({ Double($0) }) else { return 60 }
    return Int(min(86_400, max(0, (reset - Date().timeIntervalSince1970).rounded(.up))))
  }
}

extension URL {
  /// The host and port.
  fileprivate var authority: String? {
    host.map { host in port.map { "\(host):\($0)" } ?? host }
  }
}

/// The fields that every request has which does not name them itself, ready to be sent.
///
/// libcurl could add them, but would write them for each request anew, character by character and twice.
struct StandardFields: Sendable {
  private let all: CurlList
  private let encodings: CurlList
  private let userAgent: CurlList

  /// - Parameter encodings: what can be unpacked.
  init(encodings: [String]) {
    // Some services refuse a request without one.
    let agent = ["User-Agent: " + CurlTransport.userAgent]
    let accepted = encodings.isEmpty ? [] : ["Accept-Encoding: " + encodings.joined(separator: ", ")]
    all = CurlList(agent + accepted)
    self.encodings = CurlList(accepted)
    userAgent = CurlList(agent)
  }

  /// What is to follow the fields of a request; `nil` for nothing.
  func list(besideUserAgent namesAgent: Bool, besideEncodings namesEncodings: Bool) -> CurlList? {
    switch (namesAgent, namesEncodings) {
    case (false, false): all
    case (true, false): encodings
    case (false, true): userAgent
    case (true, true): nil
    }
  }
}

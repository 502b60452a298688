/// The default fields for requests that do not have them, ready to be sent.
///
/// libcurl could add them, but would write them again for each request, character by character and twice.
struct StandardFields: Sendable {
  private let all: CurlList
  private let encodings: CurlList
  private let userAgent: CurlList

  /// Creates the fields.
  ///
  /// - Parameter encodings: the codings that can be decoded.
  init(encodings: [String]) {
    // Some services refuse a request without a user agent.
    let agent = ["User-Agent: " + CurlTransport.userAgent]
    let accepted = encodings.isEmpty ? [] : ["Accept-Encoding: " + encodings.joined(separator: ", ")]
    all = CurlList(agent + accepted)
    self.encodings = CurlList(accepted)
    userAgent = CurlList(agent)
  }

  /// Returns the fields to append to those of a request; `nil` for none.
  func list(besideUserAgent namesAgent: Bool, besideEncodings namesEncodings: Bool) -> CurlList? {
    switch (namesAgent, namesEncodings) {
    case (false, false): all
    case (true, false): encodings
    case (false, true): userAgent
    case (true, true): nil
    }
  }
}

internal import Foundation

/// A URL whose host is the path of a Unix domain socket, percent-encoded: `http+unix://%2Frun%2Fdocker.sock/info`.
///
/// The spelling is that of Python's requests-unixsocket and others: unlike `unix:/run/docker.sock:/info` it has a host
/// and a path like every URL, so that a target's path can be appended to it.
struct UnixSocketURL {
  /// The path of the socket.
  let socket: String
  /// The URL to ask there, of the host `localhost`.
  let url: String
  private let authority: Substring

  static func isOne(_ url: String) -> Bool { url.withBytes { $0.hasLowercasedPrefix("http+unix://") } }

  /// `nil` for a URL of another scheme, and for one that names no absolute path that fits into an address.
  init?(_ text: String) {
    guard Self.isOne(text), let (_, authority) = Origin.authority(of: text) else { return nil }
    self.authority = Substring(authority)
    guard let path = self.authority.removingPercentEncoding, path.hasPrefix("/"), path.utf8.count < 108,
      !path.utf8.contains(0)
    else { return nil }
    socket = path
    url = "http://localhost" + text[authority.endIndex...]
  }

  /// A location in an answer from the socket, as a URL of the same socket where it is one of its `localhost`.
  func resolve(_ location: String) -> String {
    guard !UnixSocketURL.isOne(location), Origin(url: location) == Origin(url: url),
      let (_, host) = Origin.authority(of: location)
    else { return location }
    return "http+unix://\(authority)\(location[host.endIndex...])"
  }
}

internal import Foundation

/// A URL whose host is the path of a Unix domain socket, percent-encoded:
/// `http+unix://%2Frun%2Fdocker.sock/info`.
///
/// Python's requests-unixsocket and other libraries use the same spelling. Unlike
/// `unix:/run/docker.sock:/info` it has a host and a path like every URL, so that a target's path can be
/// appended to it.
package struct UnixSocketURL {
  /// The path of the socket.
  package let socket: String
  /// The URL to request over the socket, with the host `localhost`.
  package let url: String
  private let authority: Substring

  static func matches(_ url: String) -> Bool { url.withBytes { $0.hasLowercasedPrefix("http+unix://") } }

  /// Returns `nil` if the URL has another scheme, or its host is not an absolute path that fits into a socket
  /// address.
  package init?(_ text: String) {
    guard Self.matches(text), let (_, authority) = Origin.authority(of: text) else { return nil }
    self.authority = Substring(authority)
    guard let path = self.authority.removingPercentEncoding, path.hasPrefix("/"), path.utf8.count < 108,
      !path.utf8.contains(0)
    else { return nil }
    socket = path
    url = "http://localhost" + text[authority.endIndex...]
  }

  /// Resolves a location in a response from the socket: a URL of its `localhost` becomes a URL of the same
  /// socket.
  package func resolve(_ location: String) -> String {
    guard !UnixSocketURL.matches(location), Origin(url: location) == Origin(url: url),
      let (_, host) = Origin.authority(of: location)
    else { return location }
    return "http+unix://\(authority)\(location[host.endIndex...])"
  }
}

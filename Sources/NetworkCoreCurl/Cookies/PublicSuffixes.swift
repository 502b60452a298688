internal import CNetworkCoreCurl

/// The domains under which anyone can register a name, such as `co.uk`, from libpsl.
enum PublicSuffixes {
  /// Looks up a domain.
  ///
  /// - Parameter domain: the domain in small letters.
  /// - Returns: whether it is a public suffix; `nil` if libpsl cannot be opened.
  static func contains(_ domain: String) -> Bool? {
    switch ccurl_public_suffix(domain) {
    case CCURL_SUFFIX_PUBLIC: true
    case CCURL_SUFFIX_PRIVATE: false
    default: nil
    }
  }
}

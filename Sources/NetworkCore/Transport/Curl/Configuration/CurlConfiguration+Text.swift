extension CurlConfiguration.Credential: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable, SecretHiding
{
  // A user may be a token, as some servers have it.
  package var text: SafeText {
    switch self {
    case .basic: SafeText("basic", ("user", .secret), ("password", .secret))
    case .digest: SafeText("digest", ("user", .secret), ("password", .secret))
    case .bearer: SafeText("bearer", ("token", .secret))
    case .negotiate: "negotiate"
    }
  }
}

extension CurlConfiguration.Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHiding
{
  package var text: SafeText {
    SafeText(
      "Proxy", ("kind", .plain(kind)), ("host", .url(host)), ("port", .plain(port)),
      ("user", user == nil ? .plain(String?.none as Any) : .secret),
      ("password", password == nil ? .plain(String?.none as Any) : .secret))
  }
}

extension CurlConfiguration.TLS.ClientIdentity: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable, SecretHiding
{
  package var text: SafeText {
    SafeText(
      "ClientIdentity", ("certificate", .plain(certificate)), ("format", .plain(format)),
      ("key", key == nil ? .plain(String?.none as Any) : .secret),
      ("password", password == nil ? .plain(String?.none as Any) : .secret))
  }
}

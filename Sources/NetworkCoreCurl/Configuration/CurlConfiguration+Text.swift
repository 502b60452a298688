extension CurlConfiguration.Credential: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable, SecretHiding
{
  // Some servers use a token as the user name.
  package var text: RedactableDescription {
    switch self {
    case .basic: RedactableDescription("basic", ("user", .secret), ("password", .secret))
    case .digest: RedactableDescription("digest", ("user", .secret), ("password", .secret))
    case .bearer: RedactableDescription("bearer", ("token", .secret))
    case .negotiate: "negotiate"
    }
  }
}

extension CurlSetting: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, SecretHiding
{
  package var text: RedactableDescription {
    switch value {
    case .long(let number):
      RedactableDescription("CurlSetting", ("name", .plain(name)), ("value", .plain(number)))
    // Some of them are tokens and passwords.
    case .string, .blob, .list:
      RedactableDescription("CurlSetting", ("name", .plain(name)), ("value", .secret))
    }
  }
}

extension CurlProfile: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, SecretHiding
{
  package var text: RedactableDescription {
    RedactableDescription("CurlProfile", ("settings", .plain(settings)))
  }
}

extension CurlConfiguration.Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHiding
{
  package var text: RedactableDescription {
    RedactableDescription(
      "Proxy", ("kind", .plain(kind)), ("host", .url(host)), ("port", .plain(port)),
      ("user", user == nil ? .plain(String?.none as Any) : .secret),
      ("password", password == nil ? .plain(String?.none as Any) : .secret))
  }
}

extension CurlConfiguration.Names: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHiding
{
  package var text: RedactableDescription {
    RedactableDescription(
      "Names", ("overrides", .plain(overrides)), ("cacheTime", .plain(cacheTime)), ("family", .plain(family)),
      ("headStart", .plain(headStart as Any)),
      ("dnsOverHTTPS", dnsOverHTTPS.map { .url($0) } ?? .plain(String?.none as Any)))
  }
}

extension CurlConfiguration.TLS.ClientIdentity: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable, SecretHiding
{
  package var text: RedactableDescription {
    RedactableDescription(
      "ClientIdentity", ("certificate", .plain(certificate)), ("format", .plain(format)),
      ("key", key == nil ? .plain(String?.none as Any) : .secret),
      ("password", password == nil ? .plain(String?.none as Any) : .secret))
  }
}

extension TransportRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHiding
{
  package var text: SafeText {
    SafeText(
      "TransportRequest", ("method", .plain(method)), ("url", .url(url)), ("headers", .plain(headers)),
      ("credential", .plain(credential as Any)))
  }
}

extension ResponseHead: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, SecretHiding
{
  package var text: SafeText {
    SafeText(
      "ResponseHead", ("statusCode", .plain(statusCode)), ("url", .url(url)), ("headers", .plain(headers)))
  }
}

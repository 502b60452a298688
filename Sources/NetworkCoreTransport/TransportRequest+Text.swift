extension TransportRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHiding
{
  package var text: RedactableDescription {
    RedactableDescription(
      "TransportRequest", ("method", .plain(method)), ("url", .url(url)), ("headers", .plain(headers)),
      ("credential", .plain(credential as Any)))
  }
}

extension ResponseHead: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, SecretHiding
{
  package var text: RedactableDescription {
    RedactableDescription(
      "ResponseHead", ("statusCode", .plain(statusCode)), ("url", .url(url)), ("headers", .plain(headers)))
  }
}

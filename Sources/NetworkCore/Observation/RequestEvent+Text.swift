internal import ReactiveNetworkLock

extension RequestEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHiding
{
  package var text: RedactableDescription {
    RedactableDescription("RequestEvent", ("id", .plain(id)), ("kind", .plain(kind)))
  }
}

extension RequestEvent.Call: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHiding
{
  package var text: RedactableDescription {
    RedactableDescription(
      "Call", ("method", .plain(method.rawValue)), ("url", .url(url)), ("cause", .plain(cause)))
  }
}

extension RequestEvent.Kind: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHiding
{
  package var text: RedactableDescription {
    switch self {
    case .queued(let call): RedactableDescription("queued", (nil, .plain(call)))
    case .started(let method, let url):
      RedactableDescription("started", ("method", .plain(method.rawValue)), ("url", .url(url)))
    case .connecting: "connecting"
    case .connected(let connection): RedactableDescription("connected", (nil, .plain(connection)))
    case .requestSent: "requestSent"
    case .firstByte: "firstByte"
    case .bodySent(let count, let length):
      RedactableDescription("bodySent", (nil, .plain(count)), ("of", .plain(length as Any)))
    case .bodyReceived(let count, let length):
      RedactableDescription("bodyReceived", (nil, .plain(count)), ("of", .plain(length as Any)))
    case .redirected(let url, let status):
      RedactableDescription("redirected", ("to", .url(url)), ("statusCode", .plain(status)))
    case .retried(let error, let delay):
      RedactableDescription("retried", ("dueTo", .error(error)), ("after", .plain(delay.inSeconds)))
    case .ended(let outcome, _): RedactableDescription("ended", (nil, .plain(outcome)))
    }
  }
}

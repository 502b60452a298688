extension RequestEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHiding
{
  package var text: SafeText { SafeText("RequestEvent", ("id", .plain(id)), ("kind", .plain(kind))) }
}

extension RequestEvent.Call: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHiding
{
  package var text: SafeText {
    SafeText("Call", ("method", .plain(method.rawValue)), ("url", .url(url)), ("cause", .plain(cause)))
  }
}

extension RequestEvent.Kind: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHiding
{
  package var text: SafeText {
    switch self {
    case .queued(let call): SafeText("queued", (nil, .plain(call)))
    case .started(let method, let url):
      SafeText("started", ("method", .plain(method.rawValue)), ("url", .url(url)))
    case .connecting: "connecting"
    case .connected(let connection): SafeText("connected", (nil, .plain(connection)))
    case .requestSent: "requestSent"
    case .firstByte: "firstByte"
    case .bodySent(let count, let length):
      SafeText("bodySent", (nil, .plain(count)), ("of", .plain(length as Any)))
    case .bodyReceived(let count, let length):
      SafeText("bodyReceived", (nil, .plain(count)), ("of", .plain(length as Any)))
    case .redirected(let url, let status):
      SafeText("redirected", ("to", .url(url)), ("statusCode", .plain(status)))
    case .retried(let error, let seconds):
      SafeText("retried", ("dueTo", .error(error)), ("after", .plain(seconds)))
    case .ended(let outcome, _): SafeText("ended", (nil, .plain(outcome)))
    }
  }
}

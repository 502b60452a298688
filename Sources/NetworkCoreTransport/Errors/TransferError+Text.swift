internal import ReactiveNetworkLock

extension TransferError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: RedactableDescription {
    switch self {
    case .cancelled: "cancelled"
    case .timedOut(let limit, let length, let isUnsent):
      RedactableDescription(
        "timedOut", (nil, .plain(limit)), ("after", .plain(length.inSeconds)),
        ("isUnsent", isUnsent ? .plain(true) : nil))
    case .cannotFindHost(let host, let isUnsent):
      RedactableDescription("cannotFindHost", (nil, .url(host)), ("isUnsent", isUnsent ? .plain(true) : nil))
    case .cannotConnect(let url, let reason, let isUnsent):
      RedactableDescription(
        "cannotConnect", ("url", .url(url)), ("reason", .text(reason)),
        ("isUnsent", isUnsent ? .plain(true) : nil))
    case .connectionLost(let reason): RedactableDescription("connectionLost", ("reason", .text(reason)))
    case .truncatedBody(let reason): RedactableDescription("truncatedBody", ("reason", .text(reason)))
    case .secureConnectionFailed(let reason):
      RedactableDescription("secureConnectionFailed", ("reason", .text(reason)))
    case .certificate(let problem, let host, let reason):
      RedactableDescription(
        "certificate", ("problem", .plain(problem)), ("host", .url(host)), ("reason", .text(reason)))
    case .badServerResponse(let reason): RedactableDescription("badServerResponse", ("reason", .text(reason)))
    case .tooManyRedirects(let limit): RedactableDescription("tooManyRedirects", ("limit", .plain(limit)))
    case .redirectRefused(let url, let reason):
      RedactableDescription("redirectRefused", ("url", .url(url)), ("reason", .text(reason)))
    case .unsupportedURL(let url): RedactableDescription("unsupportedURL", (nil, .url(url)))
    case .notRecorded(let method, let url):
      RedactableDescription("notRecorded", ("method", .text(method)), ("url", .url(url)))
    case .conversationNotRecorded(let url, let count):
      RedactableDescription(
        "conversationNotRecorded", ("url", .url(url)), ("afterMessages", .plain(count)))
    case .notStored(let url): RedactableDescription("notStored", ("url", .url(url)))
    case .invalidField(let name, let value):
      Self.text(ofInvalid: HTTPHeader(name: name, value: value))
    case .cannotReadFile(let path, let reason):
      RedactableDescription("cannotReadFile", ("path", .text(path)), ("reason", .text(reason)))
    case .cannotReadBody(let reason): RedactableDescription("cannotReadBody", ("reason", .text(reason)))
    case .wrongBodyLength(let announced, let actual):
      RedactableDescription("wrongBodyLength", ("announced", .plain(announced)), ("actual", .plain(actual)))
    case .cannotRepeatBody(let url): RedactableDescription("cannotRepeatBody", ("url", .url(url)))
    case .responseTooLarge(let limit): RedactableDescription("responseTooLarge", ("limit", .plain(limit)))
    case .circuitOpen(let wait):
      RedactableDescription("circuitOpen", ("timeUntilProbe", .plain(wait?.inSeconds as Any)))
    case .queueFull(let limit): RedactableDescription("queueFull", ("maxWaiting", .plain(limit)))
    case .waitedTooLong(let length): RedactableDescription("waitedTooLong", (nil, .plain(length.inSeconds)))
    case .other(let code, let reason):
      RedactableDescription("other", ("code", .plain(code)), ("reason", .text(reason)))
    }
  }

  private static func text(ofInvalid field: HTTPHeader) -> RedactableDescription {
    let shown = Redactor.standard.redacted(invalid: field)
    return RedactableDescription("invalidField", ("name", .text(shown.name)), ("value", .text(shown.value)))
  }
}

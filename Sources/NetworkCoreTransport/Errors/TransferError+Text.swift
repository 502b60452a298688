extension TransferError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: SafeText {
    switch self {
    case .cancelled: "cancelled"
    case .timedOut(let limit, let seconds):
      SafeText("timedOut", (nil, .plain(limit)), ("after", .plain(seconds)))
    case .cannotFindHost(let host): SafeText("cannotFindHost", (nil, .url(host)))
    case .cannotConnect(let url, let reason):
      SafeText("cannotConnect", ("url", .url(url)), ("reason", .text(reason)))
    case .connectionLost(let reason): SafeText("connectionLost", ("reason", .text(reason)))
    case .truncatedBody(let reason): SafeText("truncatedBody", ("reason", .text(reason)))
    case .secureConnectionFailed(let reason): SafeText("secureConnectionFailed", ("reason", .text(reason)))
    case .certificate(let problem, let host, let reason):
      SafeText(
        "certificate", ("problem", .plain(problem)), ("host", .url(host)), ("reason", .text(reason)))
    case .badServerResponse(let reason): SafeText("badServerResponse", ("reason", .text(reason)))
    case .tooManyRedirects(let limit): SafeText("tooManyRedirects", ("limit", .plain(limit)))
    case .redirectRefused(let url, let reason):
      SafeText("redirectRefused", ("url", .url(url)), ("reason", .text(reason)))
    case .unsupportedURL(let url): SafeText("unsupportedURL", (nil, .url(url)))
    case .notRecorded(let method, let url):
      SafeText("notRecorded", ("method", .text(method)), ("url", .url(url)))
    case .notStored(let url): SafeText("notStored", ("url", .url(url)))
    case .invalidField(let name, let value):
      Self.text(ofInvalid: HTTPHeader(name: name, value: value))
    case .cannotReadFile(let path, let reason):
      SafeText("cannotReadFile", ("path", .text(path)), ("reason", .text(reason)))
    case .cannotReadBody(let reason): SafeText("cannotReadBody", ("reason", .text(reason)))
    case .wrongBodyLength(let announced, let actual):
      SafeText("wrongBodyLength", ("announced", .plain(announced)), ("actual", .plain(actual)))
    case .cannotRepeatBody(let url): SafeText("cannotRepeatBody", ("url", .url(url)))
    case .responseTooLarge(let limit): SafeText("responseTooLarge", ("limit", .plain(limit)))
    case .circuitOpen(let error): SafeText("circuitOpen", (nil, .plain(error)))
    case .overloaded(let error): SafeText("overloaded", (nil, .plain(error)))
    case .other(let code, let reason):
      SafeText("other", ("code", .plain(code)), ("reason", .text(reason)))
    }
  }

  private static func text(ofInvalid field: HTTPHeader) -> SafeText {
    let shown = Redactor.standard.shown(invalid: field)
    return SafeText("invalidField", ("name", .text(shown.name)), ("value", .text(shown.value)))
  }
}

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Writes the log entries of `NetworkLoggerPlugin` for one request or its response.
struct LogEntryWriter {
  private let configuration: NetworkLoggerPlugin.Configuration
  private let target: any TargetType
  private let redactor: Redactor

  init(_ configuration: NetworkLoggerPlugin.Configuration, _ target: any TargetType) {
    (self.configuration, self.target) = (configuration, target)
    redactor = Redactor(names: configuration.redactedHeaderFields)
  }

  func log(_ request: any RequestType) {
    if configuration.logOptions.contains(.formatRequestAscURL) { return logCommand(of: request) }
    guard let urlRequest = request.request else { return output([entry("Request", "(invalid request)")]) }
    var items = [entry("Request", redactor.redacted(url: urlRequest.url?.absoluteString ?? ""))]
    if configuration.logOptions.contains(.requestHeaders) {
      let fields = urlRequest.fields(addedTo: request.sessionHeaders)
      items.append(entry("Request Headers", text(of: fields)))
    }
    if configuration.logOptions.contains(.requestBody) {
      if let stream = urlRequest.httpBodyStream {
        items.append(entry("Request Body Stream", stream.description))
      }
      if let body = urlRequest.httpBody {
        items.append(entry("Request Body", configuration.formatter.requestData(body)))
      }
    }
    if configuration.logOptions.contains(.requestMethod), let method = urlRequest.httpMethod {
      items.append(entry("HTTP Request Method", method))
    }
    output(items)
  }

  func log(_ response: Response, showingBody body: NetworkLoggerPlugin.Configuration.LogOptions) {
    let message =
      response.response.map { text(of: $0, url: response.url) }
      ?? "Received empty network response for \(targetName)."
    var items = [entry("Response", message)]
    if configuration.logOptions.contains(body) {
      items.append(entry("Response Body", configuration.formatter.responseData(response.data)))
    }
    output(items)
  }

  func log(_ error: NetworkError) {
    output([entry("Error", redactor.redacted(text: "Error calling \(targetName) : \(error)"))])
  }

  /// Logs the request as a shell command.
  ///
  /// The secrets of a provider's request are hidden one by one. Any other `RequestType` supplies the finished
  /// command, which is redacted as text, unless the body must not be shown.
  private func logCommand(of request: any RequestType) {
    let showsBody = configuration.logOptions.contains(.requestBody)
    if let urlRequest = request.request, request is PreparedRequest || !showsBody {
      let command = CurlCommand(
        urlRequest, sessionHeaders: request.sessionHeaders, using: redactor, showsBody: showsBody)
      return output([entry("Request", command.text)])
    }
    request.cURLDescription { [self] in output([entry("Request", redactor.redacted(text: $0))]) }
  }

  private func output(_ items: [String]) {
    configuration.output(target, items)
  }

  private func entry(_ identifier: String, _ message: String) -> String {
    configuration.formatter.entry(identifier, message, target)
  }

  /// Returns the fields in the form of a dictionary's description, sorted by name.
  private func text(of fields: [HTTPHeader]) -> String {
    let pairs = fields.map { "\($0.name.debugDescription): \(redactor.redacted($0).debugDescription)" }
    return "[" + (pairs.isEmpty ? ":" : pairs.joined(separator: ", ")) + "]"
  }

  /// Returns Foundation's description of a response, without secrets.
  private func text(of response: HTTPURLResponse, url: URL?) -> String {
    let name = response.description.prefix { $0 != ">" }
    let fields = Array(response.headers.sorted())
    return
      "\(name)> { URL: \(redactor.redacted(url: url?.absoluteString ?? "")) }{ status: \(response.statusCode), headers {\n"
      + fields.map { "   \($0.name.debugDescription) = \(redactor.redacted($0));\n" }.joined() + "} }"
  }

  /// The name of the target without its associated values, which may be secrets: `userProfile(…)`.
  private var targetName: String { Self.name(of: target) }

  private static func name(of target: any TargetType) -> String {
    let mirror = Mirror(reflecting: target)
    guard mirror.displayStyle == .enum else { return "\(type(of: target))" }
    guard let child = mirror.children.first else { return "\(target)" }
    let value = (child.value as? any TargetType).map(name(of:)) ?? "…"
    return "\(child.label ?? "\(type(of: target))")(\(value))"
  }
}

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Writes requests and answers to a log.
///
/// ```swift
/// let logger = NetworkLoggerPlugin(configuration: .init(logOptions: .verbose))
/// let provider = NetworkProvider<GitHub>(plugins: [logger])
/// ```
///
/// The values of `Authorization`, `Cookie` and other secret fields, and of URLs the user, the password and parameters such as
/// `access_token`, are hidden unless `Configuration.redactedHeaderFields` says otherwise; the texts of errors hide them always. Bodies are logged as they are.
public final class NetworkLoggerPlugin: PluginType {
  /// Logs method, header fields and bodies.
  public static var verbose: NetworkLoggerPlugin {
    NetworkLoggerPlugin(configuration: Configuration(logOptions: .verbose))
  }

  /// Logs method and header fields.
  public static var `default`: NetworkLoggerPlugin { NetworkLoggerPlugin() }

  /// What is logged, and how.
  public let configuration: Configuration

  /// Makes a plugin.
  ///
  /// - Parameter configuration: what is logged, and how.
  public init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// Logs the request.
  public func willSend(_ request: any RequestType, target: any TargetType) {
    configuration.output(target, items(for: request, target))
  }

  /// Logs the answer or the error.
  public func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
    let items =
      switch result {
      case .success(let response): items(for: response, target, showingBody: .successResponseBody)
      case .failure(let error):
        if let response = error.response {
          items(for: response, target, showingBody: .errorResponseBody)
        } else {
          [entry("Error", secrets.shown(text: error.localizedDescription), target)]
        }
      }
    configuration.output(target, items)
  }
}

extension NetworkLoggerPlugin {
  private var options: Configuration.LogOptions { configuration.logOptions }
  private var secrets: Secrets { Secrets(names: configuration.redactedHeaderFields) }

  private func entry(_ identifier: String, _ message: String, _ target: any TargetType) -> String {
    configuration.formatter.entry(identifier, message, target)
  }

  private func items(for request: any RequestType, _ target: any TargetType) -> [String] {
    guard let urlRequest = request.request else { return [entry("Request", "(none)", target)] }
    if options.contains(.formatRequestAscURL) {
      let command = CurlCommand(urlRequest, sessionHeaders: request.sessionHeaders, hiding: secrets)
      return [entry("Request", command.text, target)]
    }
    var items = [entry("Request", secrets.shown(url: urlRequest.url?.absoluteString ?? ""), target)]
    if options.contains(.requestHeaders) {
      let fields = urlRequest.fields(addedTo: request.sessionHeaders)
      items.append(entry("Request Headers", text(of: fields), target))
    }
    if options.contains(.requestBody) {
      if let stream = urlRequest.httpBodyStream {
        items.append(entry("Request Body Stream", stream.description, target))
      }
      if let body = urlRequest.httpBody {
        items.append(entry("Request Body", configuration.formatter.requestData(body), target))
      }
    }
    if options.contains(.requestMethod), let method = urlRequest.httpMethod {
      items.append(entry("HTTP Request Method", method, target))
    }
    return items
  }

  private func items(
    for response: Response, _ target: any TargetType, showingBody body: Configuration.LogOptions
  ) -> [String] {
    let url = response.request?.url?.absoluteString ?? ""
    let message = "\(response.statusCode) \(secrets.shown(url: url)) \(text(of: Array(response.headers)))"
    var items = [entry("Response", message, target)]
    if options.contains(body) {
      items.append(entry("Response Body", configuration.formatter.responseData(response.data), target))
    }
    return items
  }

  private func text(of fields: [HTTPHeader]) -> String {
    "[" + fields.map { "\($0.name): \(secrets.shown($0))" }.joined(separator: ", ") + "]"
  }
}

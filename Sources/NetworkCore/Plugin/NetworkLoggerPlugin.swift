import Foundation
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Writes requests and responses to a log, in the format of Moya's plugin.
///
/// ```swift
/// let logger = NetworkLoggerPlugin(configuration: .init(logOptions: .verbose))
/// let provider = NetworkProvider<GitHub>(plugins: [logger])
/// ```
///
/// The values of `Authorization`, `Cookie` and other secret fields are hidden, and so are the user, the
/// password and parameters such as `access_token` in URLs, unless `Configuration.redactedHeaderFields` says
/// otherwise. Texts of errors always hide them, and show a target without its associated values. Bodies are
/// logged unchanged.
public final class NetworkLoggerPlugin: PluginType {
  /// Logs method, header fields and bodies.
  public static var verbose: NetworkLoggerPlugin {
    NetworkLoggerPlugin(configuration: Configuration(logOptions: .verbose))
  }

  /// Logs method and header fields.
  public static var `default`: NetworkLoggerPlugin { NetworkLoggerPlugin() }

  private let settings: Lock<Configuration>

  /// The settings of the logger; a change applies from the next request or response on.
  public var configuration: Configuration {
    get { settings.withLock { $0 } }
    set {
      let replaced = settings.withLock { exchange(&$0, with: newValue) }
      // Not under the lock, because that may run the code of the user.
      withExtendedLifetime(replaced) {}
    }
  }

  /// Creates a plugin.
  ///
  /// - Parameter configuration: the settings of the logger.
  public init(configuration: Configuration = Configuration()) {
    settings = Lock(configuration)
  }

  /// Logs the request.
  public func willSend(_ request: any RequestType, target: any TargetType) {
    LogEntryWriter(configuration, target).log(request)
  }

  /// Logs the response or the error.
  public func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
    let writer = LogEntryWriter(configuration, target)
    switch result {
    case .success(let response): writer.log(response, showingBody: .successResponseBody)
    case .failure(let error):
      if let response = error.response {
        writer.log(response, showingBody: .errorResponseBody)
      } else {
        writer.log(error)
      }
    }
  }
}

/// Knows by host what a server's certificate is checked for.
///
/// ```swift
/// let pins = [try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")]
/// var configuration = CurlConfiguration()
/// configuration.serverTrustManager = ServerTrustManager(
///   evaluators: ["api.example.com": PublicKeysTrustEvaluator(keys: pins)])
/// let provider = NetworkProvider<API>(transport: try CurlTransport(configuration: configuration))
/// ```
///
/// The host of a URL must be in ASCII (`xn--…`) where there is a manager; another one is refused.
///
/// `@unchecked Sendable` because subclassing is allowed: all properties are constants of `Sendable` types, and a
/// subclass must keep what it adds safe to use from several threads.
open class ServerTrustManager: @unchecked Sendable {
  /// Whether a host without an evaluator is refused.
  public let allHostsMustBeEvaluated: Bool
  /// The evaluators by host.
  public let evaluators: [String: any ServerTrustEvaluating]
  private let table: HostTable<any ServerTrustEvaluating>

  /// Makes a manager.
  ///
  /// - Parameters:
  ///   - allHostsMustBeEvaluated: whether a host without an evaluator is refused; otherwise it is checked as usual.
  ///   - evaluators: by host: a name or address, compared without regard to case; `*.example.com` stands for all
  ///     names that end in `.example.com`, `*` for every host. The most specific one counts.
  public init(allHostsMustBeEvaluated: Bool = true, evaluators: [String: any ServerTrustEvaluating]) {
    self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
    self.evaluators = evaluators
    self.table = HostTable(evaluators)
  }

  /// The evaluator for a host; a subclass may choose by rules of its own.
  ///
  /// Called on the transport's thread, once for each host; the answer is kept.
  ///
  /// - Parameter host: the host's name or address in lower case.
  /// - Returns: the evaluator, `nil` for the usual checks.
  /// - Throws: `ServerTrustError.noRequiredEvaluator` where there is none and there must be one.
  open func serverTrustEvaluator(forHost host: String) throws -> (any ServerTrustEvaluating)? {
    if let evaluator = table[host] { return evaluator }
    guard allHostsMustBeEvaluated else { return nil }
    throw ServerTrustError.noRequiredEvaluator(host: host)
  }
}

/// Chooses the checks of a server's certificate by host.
///
/// ```swift
/// let pins = [try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")]
/// var configuration = CurlConfiguration()
/// configuration.serverTrustManager = ServerTrustManager(
///   evaluators: ["api.example.com": PublicKeysTrustEvaluator(keys: pins)])
/// let provider = NetworkProvider<API>(transport: try CurlTransport(configuration: configuration))
/// ```
///
/// `@unchecked Sendable` because subclassing is allowed: all properties are constants of `Sendable` types,
/// and a subclass must keep the properties that it adds safe to use from several threads.
open class ServerTrustManager: @unchecked Sendable {
  /// Whether a host without an evaluator is refused.
  public let allHostsMustBeEvaluated: Bool
  /// The evaluators by host.
  public let evaluators: [String: any ServerTrustEvaluating]
  private let table: HostTable<any ServerTrustEvaluating>

  /// Creates a manager.
  ///
  /// - Parameters:
  ///   - allHostsMustBeEvaluated: whether a host without an evaluator is refused; if not, such a host gets
  ///     the usual checks.
  ///   - evaluators: the evaluators by host. A key is a name or address, in any of its spellings;
  ///     `*.example.com` matches all names that end in `.example.com`, and `*` matches every host. The most
  ///     specific key applies. A `CurlTransport` refuses a key with a scheme or a port, which matches no host.
  public init(allHostsMustBeEvaluated: Bool = true, evaluators: [String: any ServerTrustEvaluating]) {
    self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
    self.evaluators = evaluators
    self.table = HostTable(evaluators)
  }

  /// Returns the evaluator for a host; a subclass may choose by its own rules.
  ///
  /// Called on a background thread, once for each host and each thread of the transport, which keeps the
  /// result. If it blocks, only the requests to this host wait, and the handlers of other transfers for a few
  /// milliseconds. If it computes, those handlers wait for up to two seconds.
  ///
  /// - Parameter host: the host's name or address in lower case.
  /// - Returns: the evaluator; `nil` for the usual checks.
  /// - Throws: `ServerTrustError.noRequiredEvaluator` if the host has no evaluator but must have one.
  open func serverTrustEvaluator(forHost host: String) throws -> (any ServerTrustEvaluating)? {
    if let evaluator = table[host] { return evaluator }
    guard allHostsMustBeEvaluated else { return nil }
    throw ServerTrustError.noRequiredEvaluator(host: host)
  }
}

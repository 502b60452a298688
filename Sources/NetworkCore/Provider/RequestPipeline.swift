/// What all requests of a provider go through.
final class RequestPipeline: Sendable {
  /// One of the steps that make the request to send.
  enum Preparation: Sendable {
    case adapter(any RequestAdapter)
    case plugin(any PluginType)
    case asyncPlugin(any AsyncPluginType)
  }

  let plugins: [any PluginType]
  let preparations: [Preparation]
  let retriers: [any RequestRetrier]
  /// What interceptors get as what carries the requests.
  let session: Session
  let scheduler: any DelayScheduler
  /// The most bytes that the body of an answer may have where its target does not say.
  let responseBodyLimit: Int?
  /// The same for answers that are kept in memory, if neither the target nor `responseBodyLimit` says.
  let memoryBodyLimit: Int?

  init(
    plugins: [any PluginType], interceptors: [any RequestInterceptor], session: Session,
    scheduler: any DelayScheduler, responseBodyLimit: Int?, memoryBodyLimit: Int?
  ) {
    self.plugins = plugins
    self.preparations =
      interceptors.map { .adapter($0) }
      + plugins.map { plugin in
        if let plugin = plugin as? any AsyncPluginType { .asyncPlugin(plugin) } else { .plugin(plugin) }
      }
    self.retriers = interceptors
    self.session = session
    self.scheduler = scheduler
    self.responseBodyLimit = responseBodyLimit
    self.memoryBodyLimit = memoryBodyLimit
  }

  /// Whether there is anything to retry, and anybody to say so.
  func asksRetriers(about result: Result<Response, NetworkError>) -> Bool {
    guard !retriers.isEmpty, let error = result.reasonToRetry else { return false }
    return !error.isCancelled
  }
}

extension Result where Success == Response, Failure == NetworkError {
  /// What a retrier is asked about: the error, or an answer with a status of 400 or more that validation let through.
  var reasonToRetry: NetworkError? {
    switch self {
    case .success(let response): response.statusCode >= 400 ? .statusCode(response) : nil
    case .failure(let error): error
    }
  }
}

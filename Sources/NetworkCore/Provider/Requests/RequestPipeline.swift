/// The steps that all requests of a provider share.
final class RequestPipeline: Sendable {
  /// A step of the preparation of a request.
  enum Preparation: Sendable {
    case adapter(any RequestAdapter)
    case plugin(any PluginType)
    case asyncPlugin(any AsyncPluginType)
  }

  let plugins: [any PluginType]
  let preparations: [Preparation]
  let retriers: [any RequestRetrier]
  /// The session that interceptors get.
  let session: Session
  let scheduler: any DelayScheduler
  /// Measures the time of a request with all its attempts; `nil` if there are no retriers.
  let clock: (any DelayScheduler)?
  let observers: RequestObservers
  /// The maximum size of a response body in bytes, unless the target sets one.
  let responseBodyLimit: Int?
  /// The maximum size in bytes of a response body in memory, if neither the target nor `responseBodyLimit`
  /// sets one.
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
    self.clock = interceptors.isEmpty ? nil : scheduler
    self.observers = RequestObservers(plugins, session: session.observers)
    self.responseBodyLimit = responseBodyLimit
    self.memoryBodyLimit = memoryBodyLimit
  }

  /// Whether retriers must decide about a result.
  func consultsRetriers(about result: Result<Response, NetworkError>) -> Bool {
    guard !retriers.isEmpty, let error = result.reasonToRetry else { return false }
    return !error.isCancelled
  }
}

extension Result where Success == Response, Failure == NetworkError {
  /// The error that a retrier receives: the error of the request, or `.statusCode` for a response with a
  /// status of 400 or more that validation accepted.
  ///
  /// `nil` for a file at its destination, which another attempt would find in its way.
  var reasonToRetry: NetworkError? {
    switch self {
    case .success(let response): response.fileURL == nil ? response.failure : nil
    case .failure(let error): error
    }
  }

  /// Whether the result is a response that validation accepted, and a retrier returned the error that it was given
  /// for that response.
  func isAccepted(despite error: NetworkError) -> Bool {
    guard case .success(let response) = self, case .statusCode(let refused) = error else { return false }
    return refused === response
  }
}

/// A plugin that receives the events of a provider's requests, as OkHttp's `EventListener` and Alamofire's
/// `EventMonitor` do.
///
/// ```swift
/// struct EventLog: RequestObserver {
///   func didObserve(_ event: RequestEvent) { print(event) }
/// }
///
/// let provider = NetworkProvider<GitHub>(plugins: [EventLog()])
/// ```
///
/// The events of one request arrive one at a time and in order, those of different requests on several
/// threads at once: the calling thread, the callback queue, or a background thread of the transport. `ended`
/// arrives before the completion is called, unless an observer blocks in another event of the request.
/// Return quickly: the request's other callbacks may wait.
///
/// If nothing observes a provider, each event costs its requests one comparison with `nil`.
public protocol RequestObserver: PluginType {
  /// Called for each event of a request.
  ///
  /// - Parameter event: what happened, and when.
  func didObserve(_ event: RequestEvent)
}

/// A plugin that receives the events of a provider's requests.
///
/// It corresponds to OkHttp's `EventListener` and Alamofire's `EventMonitor`.
///
/// ```swift
/// struct EventLog: RequestObserver {
///   func didObserve(_ event: RequestEvent) { print(event) }
/// }
///
/// let provider = NetworkProvider<GitHub>(plugins: [EventLog()])
/// ```
///
/// The events of one request arrive one at a time and in order. The events of different requests may arrive
/// at the same time on several threads: the calling thread, the callback queue, or a background thread of the
/// transport. `ended` arrives before the completion is called. Return quickly, because the other callbacks of the
/// request wait.
///
/// If nothing observes a provider, each event costs one comparison with `nil`.
public protocol RequestObserver: PluginType {
  /// Called for each event of a request.
  ///
  /// - Parameter event: what happened, and when.
  func didObserve(_ event: RequestEvent)
}

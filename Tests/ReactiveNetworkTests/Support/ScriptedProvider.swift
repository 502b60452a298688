import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
import RxLite

/// A provider that responds to every request before the call returns and records the callback queues.
final class ScriptedProvider: StreamingProviderType, ReactiveCompatible {
  struct Target: TargetType {
    var baseURL: URL { URL(filePath: "/") }
    var path: String { "" }
    var method = HTTPMethod.get
    var task = HTTPTask.requestPlain
  }

  private struct State {
    var streams: [[ResponseStreamEvent]]
    var labels: [String?] = []
    var receive: (@Sendable (ResponseStreamEvent) -> Void)?
  }

  private let state: Lock<State>

  /// Creates a provider with the events of each stream; later streams receive none.
  init(_ streams: [[ResponseStreamEvent]] = []) { state = Lock(State(streams: streams)) }

  /// The label of the callback queue of each call, in order.
  var labels: [String?] { state.withLock { $0.labels } }

  /// Sends an event of the last stream.
  func send(_ event: ResponseStreamEvent) { state.withLock { $0.receive }?(event) }

  func request(
    _ target: Target, callbackQueue: DispatchQueue?, progress: ProgressBlock?,
    completion: @escaping Completion
  ) -> any Cancellable {
    recordQueue(callbackQueue)
    completion(.success(Response(statusCode: 200, data: Data())))
    return CancellableToken {}
  }

  func stream(
    _ target: Target, headers: HTTPHeaders, callbackQueue: DispatchQueue?,
    receive: @escaping @Sendable (ResponseStreamEvent) -> Void
  ) -> any Cancellable {
    recordQueue(callbackQueue)
    let events = state.withLock { state in
      state.receive = receive
      return state.streams.isEmpty ? [] : state.streams.removeFirst()
    }
    for event in events { receive(event) }
    return CancellableToken {}
  }

  func download(
    _ target: Target, to destination: URL, options: DownloadOptions, callbackQueue: DispatchQueue?,
    progress: ProgressBlock?, completion: @escaping Completion
  ) -> any Cancellable {
    request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
  }

  private func recordQueue(_ queue: DispatchQueue?) {
    state.withLock { $0.labels.append(queue?.label) }
  }
}

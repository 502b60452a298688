import Foundation
import NetworkCore
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Counts requests as an activity indicator does.
struct CountingPlugin: PluginType {
  let record: ProgramRecord

  func willSend(_ request: any RequestType, target: any TargetType) {
    let isUnrelated = ["follow", "stranger"].contains { target.path.hasPrefix($0) }
    record.state.withLock { state in
      state.running += 1
      if !isUnrelated { state.sent += 1 }
    }
  }

  func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
    record.state.withLock { $0.running -= 1 }
  }
}

/// Changes each request.
struct PreparingPlugin: PluginType {
  func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
    var request = request
    request.setValue("1", forHTTPHeaderField: "X-Prepared")
    return request
  }
}

/// Changes each request in a task.
struct AsyncPreparingPlugin: AsyncPluginType {
  func prepare(_ request: URLRequest, for target: any TargetType) async throws -> URLRequest {
    await Task.yield()
    return PreparingPlugin().prepare(request, target: target)
  }
}

/// Checks the events of each request: that it ends once, that nothing follows the end, and that the events of
/// one attempt are in order.
final class EventOrderPlugin: RequestObserver {
  let record: ProgramRecord
  /// Whether libcurl may connect again within an attempt, because the server breaks connections.
  private let mayReconnect: Bool
  private let isSlow: Bool
  private let requests = Lock((ended: Set<RequestID>(), sent: Set<RequestID>()))

  init(_ record: ProgramRecord) {
    self.record = record
    mayReconnect = record.composition.fault == .resetOnce
    isSlow = record.composition.plugins.contains(.slowObserver)
  }

  func didObserve(_ event: RequestEvent) {
    if isSlow { usleep(300) }
    if let fault = requests.withLock({ fault(of: event, &$0.ended, &$0.sent) }) { record.note(fault) }
    record.state.withLock { state in
      switch event.kind {
      case .queued: state.observed.insert(Int(event.id.number))
      case .ended: state.observed.remove(Int(event.id.number))
      default: break
      }
    }
  }

  private func fault(
    of event: RequestEvent, _ ended: inout Set<RequestID>, _ sent: inout Set<RequestID>
  ) -> String? {
    if ended.contains(event.id) { return "an event follows the end of a request" }
    switch event.kind {
    case .ended: ended.insert(event.id)
    case .requestSent: sent.insert(event.id)
    case .started, .redirected, .retried: sent.remove(event.id)
    case .connecting, .connected:
      if sent.contains(event.id), !mayReconnect { return "a request connects after it was sent" }
    default: break
    }
    return nil
  }
}

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// All that a request needs until it has ended, and lets go of then: where its answer comes from and who is told.
///
/// A class, since it is handed around: a copy of the struct would retain and release each of its fields.
final class RequestContext: Sendable {
  let target: any TargetType
  let source: RequestSource
  let pipeline: RequestPipeline
  let progress: ProgressBlock?
  let completion: Completion
  /// Where the body goes; `nil` for memory.
  let delivery: (any BodyDelivery)?
  /// Whether callbacks run on the thread that carries the request.
  let deliversOnLoop: Bool
  /// Whether the completion is a caller's: a transfer that several callers share is processed for each of them.
  let isProcessed: Bool
  /// Whether the request waits for a transfer that callers may share, which has a call of its own.
  let joinsTransfer: Bool
  /// The provider, which stays alive until the completion has been called.
  let provider: any AnyObject & Sendable

  init(
    target: any TargetType, source: RequestSource, pipeline: RequestPipeline, progress: ProgressBlock?,
    isProcessed: Bool = true, joinsTransfer: Bool = false, delivery: (any BodyDelivery)? = nil,
    deliversOnLoop: Bool = false, completion: @escaping Completion, provider: any AnyObject & Sendable
  ) {
    self.target = target
    self.source = source
    self.pipeline = pipeline
    self.progress = progress
    self.isProcessed = isProcessed
    self.joinsTransfer = joinsTransfer
    self.delivery = delivery
    self.deliversOnLoop = deliversOnLoop
    self.completion = completion
    self.provider = provider
  }

  /// The most bytes that the body of the answer may have; `nil` for no limit.
  var responseBodyLimit: Int? {
    let own = target.responseBodyLimit ?? pipeline.responseBodyLimit
    return delivery == nil ? own ?? pipeline.memoryBodyLimit : own
  }

  /// What a transport sends for a request.
  func outgoing(
    _ request: URLRequest, reportsProgress: Bool = false
  ) throws(NetworkError) -> TransportRequest {
    var outgoing = try pipeline.session.outgoing(request, of: target, reportsProgress: reportsProgress)
    outgoing.responseBodyLimit = responseBodyLimit
    outgoing.deliversOnLoop = deliversOnLoop
    return outgoing
  }

  /// Tells the plugins how an attempt ended.
  func receive(_ result: Result<Response, NetworkError>) {
    for plugin in pipeline.plugins { plugin.didReceive(result, target: target) }
  }

  /// Tells plugins and completion how the request ended.
  ///
  /// The plugins that `receipt` names get a `didReceive` first.
  func end(_ result: Result<Response, NetworkError>, _ receipt: RequestState.Receipt) {
    switch receipt {
    case .none: break
    case .sent: receive(result)
    case .unsent:
      for plugin in pipeline.plugins where !(plugin is any BalancedPlugin) {
        plugin.didReceive(result, target: target)
      }
    }
    guard isProcessed else { return completion(result) }
    let processed = pipeline.plugins.reduce(result) { $1.process($0, target: target) }
    if let progress, case .success(let response) = processed {
      let count = response.bodyCount
      progress(ProgressResponse(completed: count, total: count, response: response))
    }
    completion(processed)
  }
}

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The objects that a request retains until it has ended, such as the source of its response and the
/// receivers of its events.
///
/// A class, because a copy of a struct would retain and release each of its fields.
final class RequestContext: Sendable {
  let target: any TargetType
  let source: ResponseSource
  let pipeline: RequestPipeline
  let progress: ProgressBlock?
  let completion: Completion
  /// Receives the events of the request; `nil` if nothing observes it.
  let observation: RequestObservation?
  /// The receiver of the body; `nil` to keep the body in memory.
  let delivery: (any BodyDelivery)?
  /// Whether callbacks run on the thread of the transfer.
  let deliversOnLoop: Bool
  /// The transfers that the request may share; `nil` if it shares none.
  let inflight: InflightTable?
  /// The provider, kept alive until the completion has been called.
  let provider: any AnyObject & Sendable

  init(
    target: any TargetType, source: ResponseSource, pipeline: RequestPipeline, progress: ProgressBlock?,
    observation: RequestObservation? = nil, inflight: InflightTable? = nil,
    delivery: (any BodyDelivery)? = nil,
    deliversOnLoop: Bool = false, completion: @escaping Completion, provider: any AnyObject & Sendable
  ) {
    self.target = target
    self.source = source
    self.pipeline = pipeline
    self.progress = progress
    self.observation = observation
    self.inflight = inflight
    self.delivery = delivery
    self.deliversOnLoop = deliversOnLoop
    self.completion = completion
    self.provider = provider
  }

  /// The maximum size of the response body in bytes, at least 0; `nil` for no limit.
  var responseBodyLimit: Int? {
    let own = target.responseBodyLimit ?? pipeline.responseBodyLimit
    let limit = delivery == nil ? own ?? pipeline.memoryBodyLimit : own
    return limit.map { max(0, $0) }
  }

  /// Returns the request for the transport.
  func makeTransportRequest(
    _ request: URLRequest, _ credential: CurlConfiguration.Credential?
  ) throws(NetworkError) -> TransportRequest {
    var outgoing = try pipeline.session.makeTransportRequest(request, of: target)
    outgoing.credential = credential
    outgoing.responseBodyLimit = responseBodyLimit
    outgoing.deliversOnLoop = deliversOnLoop
    return outgoing
  }

  /// Returns the request for a transfer that equal requests may share; `nil` if the transport may add
  /// something to it that the comparison does not see, such as a credential or a cookie, or if endpoint, plugins or
  /// interceptors have replaced the method for which the target allows sharing.
  ///
  /// It has the transport's default fields, so that the transfer sends the values that were compared.
  func makeShareableRequest(
    _ request: URLRequest, _ credential: CurlConfiguration.Credential?
  ) throws(NetworkError) -> TransportRequest? {
    var outgoing = try makeTransportRequest(request, credential)
    guard outgoing.method == target.method else { return nil }
    guard case .transport(let transport) = source else { return outgoing }
    outgoing.headers.addMissing(transport.defaultHeaders)
    return transport.addedCredentials(to: outgoing).isEmpty ? outgoing : nil
  }

  /// Notifies the plugins of the result of an attempt.
  func receive(_ result: Result<Response, NetworkError>) {
    for plugin in pipeline.plugins { plugin.didReceive(result, target: target) }
  }

  /// Passes the result of the request through the plugins' `process` to the completion.
  ///
  /// - Parameters:
  ///   - result: the result.
  ///   - latest: the last progress before the end, which for an upload has counted the request body.
  func end(_ result: Result<Response, NetworkError>, after latest: ProgressResponse?) {
    let processed = pipeline.plugins.reduce(result) { $1.process($0, target: target) }
    if let progress, case .success(let response) = processed {
      // A plugin may have replaced the response, whose request and size then say nothing of the transfer.
      let received = (try? result.get()) ?? response
      let sent = delivery == nil && received.request?.isUpload == true ? latest : nil
      let (completed, total) = (sent?.completedUnitCount, sent?.totalUnitCount)
      let count = received.bodyCount
      progress(ProgressResponse(completed: completed ?? count, total: total ?? count, response: response))
    }
    completion(processed)
  }
}

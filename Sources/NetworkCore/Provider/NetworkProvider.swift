public import Dispatch

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Makes the requests of an API that is described by targets.
///
/// ```swift
/// let provider = NetworkProvider<GitHub>()
/// let request = provider.request(.repos("ash")) { result in
///   switch result {
///   case .success(let response): print(response.statusCode)
///   case .failure(let error): print(error)
///   }
/// }
/// request.cancel()
/// ```
///
/// A target becomes an `Endpoint`, the endpoint a `URLRequest`; the plugins see it and the transport sends it. The
/// provider stays alive while one of its requests runs.
///
/// Without a callback queue the callbacks run on a background thread of the transport's own, one request's after the other's. One that
/// blocks holds up the others for a few milliseconds at most, and transfers, time-outs and cancels not at all. The main queue is never
/// used unless it is given. `callbackQueue: .transport` is for the thread that carries the requests.
///
/// `@preconcurrency` lets code written for Moya, whose closures are not `@Sendable`, compile: in the Swift 6 language
/// mode with warnings, before it without.
///
/// `@unchecked Sendable` because subclassing is allowed: all properties are constants of `Sendable` types, and a
/// subclass must keep what it adds safe to use from several threads.
open class NetworkProvider<Target: TargetType>: NetworkProviderType, @unchecked Sendable {
  /// Makes an endpoint from a target.
  public typealias EndpointClosure = @Sendable (Target) -> Endpoint
  /// Gets the request that a `RequestClosure` has made; only the first call counts.
  public typealias RequestResultClosure = @Sendable (Result<URLRequest, NetworkError>) -> Void
  /// Makes a request from an endpoint, at once or later and on any thread.
  public typealias RequestClosure = @Sendable (Endpoint, @escaping RequestResultClosure) -> Void
  /// Decides whether a target's request is stubbed.
  public typealias StubClosure = @Sendable (Target) -> StubBehavior

  /// Makes an endpoint from a target.
  public let endpointClosure: EndpointClosure
  /// Makes a request from an endpoint.
  public let requestClosure: RequestClosure
  /// Decides whether a target's request is stubbed.
  public let stubClosure: StubClosure
  /// Where callbacks run unless the request names a queue; `nil` for a background thread of the transport.
  public let callbackQueue: DispatchQueue?
  /// What carries the requests.
  public let transport: any Transport
  /// What carries the requests, as interceptors see it.
  public let session: Session
  /// What looks at requests and answers, in this order.
  public let plugins: [any PluginType]
  /// What changes requests before the plugins do, and decides about retries, in this order.
  public let interceptors: [any RequestInterceptor]
  /// Whose time delayed stubs and retries wait in.
  public let scheduler: any DelayScheduler
  /// Whether equal requests that are under way at the same time share one transfer.
  public let trackInflights: Bool
  /// Answers that are given instead of the server's.
  public let stubs: StubTable<Target>?
  /// The most bytes that the body of an answer may have where its target does not say; `nil` for no limit.
  public let responseBodyLimit: Int?
  /// The most bytes that the body of an answer in memory may have if neither the target nor `responseBodyLimit` says; `nil` for
  /// no limit.
  public let memoryBodyLimit: Int?
  let pipeline: RequestPipeline
  let inflight = InflightTable()

  /// Makes a provider.
  ///
  /// - Parameters:
  ///   - endpointClosure: makes an endpoint from a target.
  ///   - requestClosure: makes a request from an endpoint.
  ///   - stubClosure: decides whether a target's request is stubbed.
  ///   - callbackQueue: where callbacks run; `nil` for a background thread of the transport.
  ///   - session: what carries the requests, with an interceptor of its own, which comes first; `nil` for `transport`.
  ///   - transport: what carries the requests where there is no `session`; `nil` for the platform's best.
  ///   - plugins: what looks at requests and answers, in this order.
  ///   - interceptors: what changes requests before the plugins do, and decides about retries, in this order.
  ///   - trackInflights: whether equal requests (method, URL, header fields, body, limits) that are under way at the same time share
  ///     one transfer: those whose target says `sharesInflightRequests`. Each caller gets its own `process` and completion, in
  ///     the order of the calls; a cancel is the caller's own, and the last one takes the transfer off the wire.
  ///   - stubs: answers that are given instead of the server's.
  ///   - scheduler: whose time delayed stubs and retries wait in.
  ///   - responseBodyLimit: the most bytes that the body of an answer may have where its target does not say
  ///     (`TargetType.responseBodyLimit`); a larger one fails the request while it arrives. `nil` for `memoryBodyLimit`.
  ///   - memoryBodyLimit: the most bytes that the body of an answer may have, decoded, that is kept in memory, if neither the
  ///     target nor `responseBodyLimit` says: 256 MiB unless given. Files and streams are not limited by it. `nil` for no limit.
  @preconcurrency public init(
    endpointClosure: @escaping EndpointClosure = NetworkProvider.defaultEndpointMapping,
    requestClosure: @escaping RequestClosure = NetworkProvider.defaultRequestMapping,
    stubClosure: @escaping StubClosure = NetworkProvider.neverStub,
    callbackQueue: DispatchQueue? = nil,
    session: Session? = nil,
    transport: (any Transport)? = nil,
    plugins: [any PluginType] = [],
    interceptors: [any RequestInterceptor] = [],
    trackInflights: Bool = false,
    stubs: StubTable<Target>? = nil,
    scheduler: any DelayScheduler = DispatchDelayScheduler(),
    responseBodyLimit: Int? = nil,
    memoryBodyLimit: Int? = 256 << 20
  ) {
    self.endpointClosure = endpointClosure
    self.requestClosure = requestClosure
    self.stubClosure = stubClosure
    self.callbackQueue = callbackQueue
    let transport = session ?? transport ?? defaultTransport()
    let session = transport as? Session ?? Session(transport: transport)
    self.transport = transport
    self.session = session
    self.plugins = plugins
    self.interceptors = (session.interceptor.map { [$0] } ?? []) + interceptors
    self.trackInflights = trackInflights
    self.stubs = stubs
    self.scheduler = scheduler
    self.responseBodyLimit = responseBodyLimit
    self.memoryBodyLimit = memoryBodyLimit
    self.pipeline = RequestPipeline(
      plugins: plugins, interceptors: self.interceptors, session: session, scheduler: scheduler,
      responseBodyLimit: responseBodyLimit, memoryBodyLimit: memoryBodyLimit)
  }

  /// Makes a provider with what Moya's has, for subclasses that override its initialiser.
  ///
  /// - Parameters:
  ///   - endpointClosure: makes an endpoint from a target.
  ///   - requestClosure: makes a request from an endpoint.
  ///   - stubClosure: decides whether a target's request is stubbed.
  ///   - callbackQueue: where callbacks run; `nil` for a background thread of the transport.
  ///   - session: what carries the requests, with an interceptor of its own.
  ///   - plugins: what looks at requests and answers, in this order.
  ///   - trackInflights: whether equal requests that are under way at the same time share one transfer.
  @preconcurrency public init(
    endpointClosure: @escaping EndpointClosure, requestClosure: @escaping RequestClosure,
    stubClosure: @escaping StubClosure, callbackQueue: DispatchQueue?, session: Session,
    plugins: [any PluginType], trackInflights: Bool
  ) {
    self.endpointClosure = endpointClosure
    self.requestClosure = requestClosure
    self.stubClosure = stubClosure
    self.callbackQueue = callbackQueue
    transport = session
    self.session = session
    self.plugins = plugins
    interceptors = session.interceptor.map { [$0] } ?? []
    self.trackInflights = trackInflights
    stubs = nil
    scheduler = DispatchDelayScheduler()
    responseBodyLimit = nil
    memoryBodyLimit = 256 << 20
    pipeline = RequestPipeline(
      plugins: plugins, interceptors: interceptors, session: session, scheduler: scheduler,
      responseBodyLimit: nil, memoryBodyLimit: memoryBodyLimit)
  }

  /// The endpoint of a target, made by `endpointClosure`.
  ///
  /// - Parameter target: what is asked for.
  /// - Returns: the endpoint.
  open func endpoint(_ target: Target) -> Endpoint {
    endpointClosure(target)
  }

  /// Starts a request.
  ///
  /// Cancelling the token completes the request at once with `NetworkError.cancelled`: on the callback queue, or
  /// without one before `cancel()` returns, unless another callback of the same request is just running; then right
  /// after it. An answer that has not reached the completion by then is dropped. A download that has a file completes on a background
  /// thread, or the callback queue, once the file is closed or a second has passed.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - callbackQueue: where the callbacks run; `nil` for the provider's queue.
  ///   - progress: gets the progress, the last one with the response just before the completion.
  ///   - completion: gets the answer or the error, exactly once.
  /// - Returns: a token to cancel the request with; it may be dropped.
  @preconcurrency @discardableResult open func request(
    _ target: Target, callbackQueue: DispatchQueue? = nil, progress: ProgressBlock? = nil,
    completion: @escaping Completion
  ) -> any Cancellable {
    requestNormal(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
  }

  /// Starts a request whose answer's body goes to `delivery`, or to memory.
  func start(
    _ target: Target, _ endpoint: Endpoint, _ callbackQueue: DispatchQueue?, delivery: (any BodyDelivery)?,
    progress: ProgressBlock?, completion: @escaping Completion
  ) -> RequestCall {
    let stub = stubs?.stub(target, endpoint: endpoint)
    let queue = callbackQueue ?? self.callbackQueue
    let deliversOnLoop = queue === DispatchQueue.transport
    // A caller who blocks a queue must not depend on a transfer that is told of there, nor callbacks of one on the loop's thread run
    // those of others.
    let mayShare =
      trackInflights && delivery == nil && target.sharesInflightRequests && !deliversOnLoop
      && callbackQueue !== TransportThread.queue
    let context = RequestContext(
      target: inner(target),
      source: source(of: target, endpoint, stub, callbackQueue),
      pipeline: pipeline, progress: progress, joinsTransfer: mayShare, delivery: delivery,
      deliversOnLoop: deliversOnLoop,
      completion: mayShare ? inflight.callers.list(completion, of: endpoint) : completion, provider: self)
    let call = RequestCall(context, validation: ResponseValidation(target), queue: queue?.orTransport)
    session.requests.add(call)
    if mayShare { share(call, endpoint, context) } else { build(endpoint, for: call) }
    return call
  }

  /// Answers a stubbed request, after the plugins' `willSend`; a subclass may do that its own way.
  ///
  /// Whatever it completes with goes through validation, retriers and plugins like an answer of a server.
  ///
  /// - Parameters:
  ///   - target: what is asked for.
  ///   - request: the request after every plugin's `prepare`.
  ///   - callbackQueue: the queue that the request named; the provider itself sees to it that callbacks run there.
  ///   - completion: gets the answer, on any thread; only the first call counts. One that is let go of without a call
  ///     fails the request.
  ///   - endpoint: what the request was built from, with the sample of the provider's `stubs` where these have one.
  ///   - stubBehavior: when to answer.
  /// - Returns: a token whose `cancel()` calls off what is left to do.
  @preconcurrency @discardableResult open func stubRequest(
    _ target: Target, request: URLRequest, callbackQueue: DispatchQueue?, completion: @escaping Completion,
    endpoint: Endpoint, stubBehavior: StubBehavior
  ) -> CancellableToken {
    guard case .delayed(let seconds) = stubBehavior else {
      completion(endpoint.sampleResponseClosure().result(for: request))
      return CancellableToken {}
    }
    let delay = scheduler.schedule(after: seconds) {
      completion(endpoint.sampleResponseClosure().result(for: request))
    }
    return CancellableToken { delay.cancel() }
  }

  /// What plugins see.
  private func inner(_ target: Target) -> any TargetType {
    // Compared first: a cast of a generic value takes as long as making the request's state.
    Target.self == MultiTarget.self ? (target as? MultiTarget)?.target ?? target : target
  }

  private func source(
    of target: Target, _ endpoint: Endpoint, _ stub: StubTable<Target>.Stub?, _ callbackQueue: DispatchQueue?
  ) -> RequestSource {
    let behavior = stub?.behavior ?? stubClosure(target)
    guard behavior != .never else { return .transport(transport) }
    let endpoint = stub.map { endpoint.sampling($0.sample) } ?? endpoint
    return .stub { [self] request, completion in
      stubRequest(
        target, request: request, callbackQueue: callbackQueue, completion: completion, endpoint: endpoint,
        stubBehavior: behavior)
    }
  }

  private func build(_ endpoint: Endpoint, for call: RequestCall) {
    let pending = Awaited(
      orElse: .failure(.underlying(UnansweredRequest(asked: "requestClosure"), nil)), call.begin)
    requestClosure(endpoint) { pending($0) }
  }

  /// Has a call wait for an equal one's transfer, or for one that is started for it.
  private func share(_ call: RequestCall, _ endpoint: Endpoint, _ context: RequestContext) {
    var request = endpoint.identity
    // A caller with another limit gets another transfer: a body that is too large for one may be right for the other.
    request.responseBodyLimit = context.responseBodyLimit
    let key = InflightTable.Key(
      request: request, form: endpoint.form, validation: call.validation,
      authorization: (context.target as? any AccessTokenAuthorizable)?.authorizationType,
      isStub: context.source.isStub)
    inflight.join(call, key) { shared in
      let transfer = RequestCall(
        RequestContext(
          target: context.target, source: context.source, pipeline: pipeline, progress: { shared.report($0) },
          isProcessed: false, completion: { shared.finish($0) }, provider: self),
        validation: call.validation, queue: call.queue)
      shared.transfer.hold(transfer)
      build(endpoint, for: transfer)
    }
  }
}

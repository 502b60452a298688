public import Dispatch
internal import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Sends the requests of an API that is described by targets.
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
/// The provider makes an `Endpoint` from a target, and a `URLRequest` from the endpoint. The plugins prepare
/// the request, and the transport sends it. The provider stays alive while one of its requests runs.
///
/// Without a callback queue, callbacks run one after another on a background thread of the transport. A
/// callback that blocks delays the others by a few milliseconds at most, and a callback that computes by two
/// seconds at most. Neither delays transfers, time-outs or cancellations. The main queue is used only if you
/// name it. `callbackQueue: .transport` selects the thread of the transfers.
///
/// `@preconcurrency` lets code written for Moya compile, although its closures are not `@Sendable`: with
/// warnings in the Swift 6 language mode, without warnings in earlier modes.
///
/// `@unchecked Sendable` because subclassing is allowed: all properties are constants of `Sendable` types. A
/// subclass must make its own properties safe to use from several threads.
open class NetworkProvider<Target: TargetType>: NetworkProviderType, @unchecked Sendable {
  /// Makes an endpoint from a target.
  public typealias EndpointClosure = @Sendable (Target) -> Endpoint
  /// Takes the request that a `RequestClosure` has made; only the first call counts.
  public typealias RequestResultClosure = @Sendable (Result<URLRequest, NetworkError>) -> Void
  /// Makes a request from an endpoint, immediately or later, on any thread.
  public typealias RequestClosure = @Sendable (Endpoint, @escaping RequestResultClosure) -> Void
  /// Decides whether a target's request is stubbed.
  public typealias StubClosure = @Sendable (Target) -> StubBehavior

  /// Makes an endpoint from a target.
  public let endpointClosure: EndpointClosure
  /// Makes a request from an endpoint.
  public let requestClosure: RequestClosure
  /// Decides whether a target's request is stubbed.
  public let stubClosure: StubClosure
  /// The queue of the callbacks unless the request names a queue; `nil` for a background thread of the
  /// transport.
  public let callbackQueue: DispatchQueue?
  /// The transport that carries the requests.
  public let transport: any Transport
  /// The session that carries the requests; interceptors receive it.
  public let session: Session
  /// The plugins that see requests and responses, in this order.
  public let plugins: [any PluginType]
  /// The interceptors that change requests before the plugins do, and decide about retries, in this order.
  public let interceptors: [any RequestInterceptor]
  /// The scheduler of delayed stubs and retries.
  public let scheduler: any DelayScheduler
  /// Whether equal requests that are in flight at the same time share one transfer.
  public let trackInflights: Bool
  /// The stubbed responses that replace the server's.
  public let stubs: StubTable<Target>?
  /// The maximum size of a response body in bytes, unless the target sets one; `nil` for no limit.
  public let responseBodyLimit: Int?
  /// The maximum size in bytes of a response body in memory, if neither the target nor `responseBodyLimit`
  /// sets one; `nil` for no limit.
  public let memoryBodyLimit: Int?
  let pipeline: RequestPipeline
  let inflight = InflightTable()

  /// Makes a provider.
  ///
  /// - Parameters:
  ///   - endpointClosure: makes an endpoint from a target.
  ///   - requestClosure: makes a request from an endpoint.
  ///   - stubClosure: decides whether a target's request is stubbed.
  ///   - callbackQueue: the queue of the callbacks; `nil` for a background thread of the transport.
  ///   - session: the session that carries the requests; its interceptor comes first. `nil` to use
  ///     `transport`.
  ///   - transport: the transport that carries the requests if `session` is `nil`; `nil` for the platform's
  ///     best.
  ///   - plugins: the plugins that see requests and responses, in this order.
  ///   - interceptors: the interceptors that change requests before the plugins do, and decide about retries,
  ///     in this order.
  ///   - trackInflights: whether requests in flight at the same time share one transfer if all that is sent
  ///     is equal (method, URL, header fields, body, credential, limits), after interceptors and plugins have
  ///     prepared each of them, and their target's `sharesInflightRequests` is `true`. A request is not
  ///     shared if the transport may add a credential or a cookie to it, or does not state what it adds
  ///     (`Transport.addedCredentials(to:)`), because one user could get another user's response. So
  ///     transports that keep cookies share nothing, unless the request does not use them
  ///     (`httpShouldHandleCookies`), and neither does a layer of your own that states nothing. Everything
  ///     but the transfer is each caller's own: plugins, validation, retries, completion. Without a queue,
  ///     these are called on the scheduler, so that no caller waits for the code of another one. A
  ///     cancellation affects only its caller; when the last caller has cancelled, the transfer is cancelled
  ///     too. A plugin that gives each request a different field, such as an identifier for traces, prevents
  ///     sharing.
  ///   - stubs: the stubbed responses that replace the server's.
  ///   - scheduler: the scheduler of delayed stubs and retries, and of the callbacks of several callers that
  ///     share a transfer.
  ///   - responseBodyLimit: the maximum size of a response body in bytes, unless the target sets one
  ///     (`TargetType.responseBodyLimit`); a larger body fails the request while it arrives. `nil` to use
  ///     `memoryBodyLimit`.
  ///   - memoryBodyLimit: the maximum size in bytes of a decoded response body in memory, if neither the
  ///     target nor `responseBodyLimit` sets one; 256 MiB by default. It does not limit files and streams.
  ///     `nil` for no limit.
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
    let session = transport as? Session ?? Session(ofProviderOver: transport)
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

  /// Makes a provider with the parameters of Moya's initialiser, for subclasses that override it.
  ///
  /// - Parameters:
  ///   - endpointClosure: makes an endpoint from a target.
  ///   - requestClosure: makes a request from an endpoint.
  ///   - stubClosure: decides whether a target's request is stubbed.
  ///   - callbackQueue: the queue of the callbacks; `nil` for a background thread of the transport.
  ///   - session: the session that carries the requests, and its interceptor.
  ///   - plugins: the plugins that see requests and responses, in this order.
  ///   - trackInflights: whether equal requests that are in flight at the same time share one transfer.
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

  /// Makes the endpoint of a target by calling `endpointClosure`.
  ///
  /// - Parameter target: the target.
  /// - Returns: the endpoint.
  open func endpoint(_ target: Target) -> Endpoint {
    endpointClosure(target)
  }

  /// Starts a request.
  ///
  /// Cancelling the token completes the request at once with `NetworkError.cancelled`. With a callback queue,
  /// the completion runs on that queue. Without one, it runs before `cancel()` returns; if another callback
  /// of the same request is running, it runs right after that callback. A response whose delivery has not begun
  /// is dropped. Once the plugins get the final response, so does the completion, even if you cancel the request
  /// while they process it or during the last progress. A cancelled download that has opened a file completes on
  /// a background thread, or on the callback queue, when the file has been closed or a second has passed.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - callbackQueue: the queue of the callbacks; `nil` for the provider's queue.
  ///   - progress: called with the progress; the last progress has the response and comes just before the
  ///     completion.
  ///   - completion: called with the response or the error, exactly once.
  /// - Returns: a token that cancels the request; you may drop it.
  @preconcurrency @discardableResult open func request(
    _ target: Target, callbackQueue: DispatchQueue? = nil, progress: ProgressBlock? = nil,
    completion: @escaping Completion
  ) -> any Cancellable {
    requestNormal(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
  }

  /// Starts a request and passes the response body to `delivery`, or keeps it in memory if that is `nil`.
  ///
  /// `prepare` is called before anything can arrive.
  func start(
    _ target: Target, _ endpoint: Endpoint, _ callbackQueue: DispatchQueue?, delivery: (any BodyDelivery)?,
    validation: ResponseValidation? = nil, observer: (@Sendable (RequestEvent) -> Void)? = nil,
    progress: ProgressBlock?, prepare: (RequestCall) -> Void = { _ in }, completion: @escaping Completion
  ) -> RequestCall {
    let stub = stubs?.stub(target, endpoint: endpoint)
    let queue = callbackQueue ?? self.callbackQueue
    let deliversOnLoop = queue === DispatchQueue.transport
    // A caller that blocks its queue must not depend on a transfer that is delivered on that queue. Callbacks
    // that run on the loop's thread must not run the callbacks of other callers there.
    let mayShare =
      trackInflights && delivery == nil && target.sharesInflightRequests && !deliversOnLoop
      && callbackQueue !== TransportThread.queue
    let inner = inner(target)
    let context = RequestContext(
      target: inner,
      source: source(of: target, endpoint, stub, callbackQueue),
      pipeline: pipeline, progress: progress, observation: pipeline.observe(inner, endpoint, by: observer),
      inflight: mayShare ? inflight : nil, delivery: delivery,
      deliversOnLoop: deliversOnLoop,
      completion: mayShare ? inflight.callers.register(completion, of: endpoint) : completion, provider: self)
    let call = RequestCall(
      context, validation: validation ?? ResponseValidation(target), queue: queue?.nilIfTransport)
    session.requests.add(call)
    prepare(call)
    let pending = FallbackCompletion(
      orElse: .failure(.underlying(UncalledCompletionError(owner: "requestClosure"), nil)), call.begin)
    requestClosure(endpoint) { pending($0) }
    return call
  }

  /// Responds to a stubbed request, after the plugins' `willSend`; a subclass may override this.
  ///
  /// The result goes through validation, retriers and plugins like a response from a server.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - request: the request after every plugin's `prepare`.
  ///   - callbackQueue: the queue that the request named; the provider itself runs the callbacks there.
  ///   - completion: receives the response, on any thread; only the first call counts. Releasing the closure
  ///     without calling it fails the request.
  ///   - endpoint: the endpoint of the request, with the sample of the provider's `stubs` if they contain
  ///     one.
  ///   - stubBehavior: whether to respond at once or after a delay.
  /// - Returns: a token whose `cancel()` cancels the pending response.
  @preconcurrency @discardableResult open func stubRequest(
    _ target: Target, request: URLRequest, callbackQueue: DispatchQueue?, completion: @escaping Completion,
    endpoint: Endpoint, stubBehavior: StubBehavior
  ) -> CancellableToken {
    guard case .delayed(let seconds) = stubBehavior else {
      completion(endpoint.sampleResponseClosure().result(for: request))
      return CancellableToken {}
    }
    let delay = scheduler.schedule(after: .inSeconds(seconds)) {
      completion(endpoint.sampleResponseClosure().result(for: request))
    }
    return CancellableToken { delay.cancel() }
  }

  /// The target that plugins see.
  private func inner(_ target: Target) -> any TargetType {
    // The types are compared first, because a cast of a generic value takes as long as making the request's
    // state.
    Target.self == MultiTarget.self ? MultiTarget.unwrapped(target) : target
  }

  private func source(
    of target: Target, _ endpoint: Endpoint, _ stub: StubTable<Target>.Stub?, _ callbackQueue: DispatchQueue?
  ) -> ResponseSource {
    let behavior = stub?.behavior ?? stubClosure(target)
    guard behavior != .never else { return .transport(transport) }
    let endpoint = stub.map { endpoint.sampling($0.sample) } ?? endpoint
    let stub: ResponseSource.Stub = { [self] request, completion in
      stubRequest(
        target, request: request, callbackQueue: callbackQueue, completion: completion, endpoint: endpoint,
        stubBehavior: behavior)
    }
    return .stub(stub, transport.defaultHeaders)
  }
}

public import typealias Foundation.TimeInterval

/// Something that happened to a request, with its time.
///
/// A request that goes well has these events: `queued`, `started`, `connecting` unless a kept connection
/// carries it, `connected`, `requestSent`, `firstByte`, `bodyReceived` for each piece, and `ended`. After
/// `retried` and `redirected` they begin again with `started` or `connecting`. `queued` is the first event of
/// each request, and `ended` the last.
///
/// Which events there are depends on the source of the response:
///
/// - `CurlTransport` reports all of them. The times of the name lookup, of the connection and of TLS come
///   with `connected`, because libcurl measures them itself.
/// - `URLSessionTransport` reports `redirected`, and the provider reports `queued`, `started`, `firstByte`
///   with the head of the response, `bodySent`, `bodyReceived`, `retried` and `ended`, as for any transport.
/// - A response from a cache has no connection, and a stub only `queued`, `retried` and `ended`.
public struct RequestEvent: Sendable {
  /// What happened.
  public enum Kind: Sendable {
    /// The provider has accepted the request; interceptors and plugins prepare it.
    case queued(Call)
    /// The provider has handed an attempt to the transport, which may still wait for a connection or stream.
    case started(method: HTTPMethod, url: String)
    /// A connection is being opened, after the name lookup; more than once if a host has several addresses.
    case connecting
    /// The request has a connection, over which it is sent next.
    case connected(Connection)
    /// The whole request has been passed to the connection: the head at once if there is no body.
    case requestSent
    /// The first byte of a response has arrived.
    case firstByte
    /// The number of bytes of the request body that have been sent; `of` is the length of the body, if known.
    case bodySent(Int64, of: Int64?)
    /// The number of bytes of the response body that have arrived, decoded; `of` is the length that the head
    /// announces, if any.
    case bodyReceived(Int64, of: Int64?)
    /// The transport follows a redirect to a URL.
    case redirected(to: String, statusCode: Int)
    /// An interceptor has decided to send the request again, after so many seconds.
    case retried(dueTo: NetworkError, after: TimeInterval)
    /// The request has ended; the metrics are those of the last attempt, if the transport has them.
    case ended(Outcome, TransferMetrics?)
  }

  /// What is asked for, and why.
  public struct Call: Sendable {
    /// The target; `nil` if the request has none.
    public var target: (any TargetType)?
    /// The method of the target.
    public var method: HTTPMethod
    /// The URL of the target, perhaps without the parameters that are encoded later.
    public var url: String
    /// The reason for the request.
    public var cause: Cause

    /// Creates a call.
    ///
    /// - Parameters:
    ///   - target: the target, if there is one.
    ///   - method: the method.
    ///   - url: the URL.
    ///   - cause: the reason for the request.
    public init(
      target: (any TargetType)? = nil, method: HTTPMethod = .get, url: String, cause: Cause = .call
    ) {
      self.target = target
      self.method = method
      self.url = url
      self.cause = cause
    }
  }

  /// The reason for a request.
  public enum Cause: Sendable, Hashable {
    /// A call of the program.
    case call
    /// A second copy of a request that takes long.
    case hedge(of: RequestID)
    /// An operator repeats a failed request; an interceptor's retry is an event of the same request.
    case retry(of: RequestID)
    /// Several calls share this request (`trackInflights`); each of them has only `queued` and `ended`.
    case shared
  }

  /// How a request has ended.
  public enum Outcome: Sendable {
    /// A response that is not an error, with its status.
    case response(statusCode: Int)
    /// An error, for example a status that the validation rejects.
    case failure(NetworkError)
    /// The caller has cancelled the request.
    case cancelled
  }

  /// The request.
  public let id: RequestID
  /// The time, which never goes back within a request.
  public let time: ContinuousClock.Instant
  /// What happened.
  public let kind: Kind

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - id: the request.
  ///   - time: the time.
  ///   - kind: what happened.
  public init(id: RequestID, time: ContinuousClock.Instant = .now, kind: Kind) {
    self.id = id
    self.time = time
    self.kind = kind
  }
}

extension RequestEvent.Outcome {
  /// The status of the response, also of one that is an error; `nil` without a response.
  public var statusCode: Int? {
    switch self {
    case .response(let statusCode): statusCode
    case .failure(let error): error.response?.statusCode
    case .cancelled: nil
    }
  }

  init(_ result: Result<Response, NetworkError>) {
    self =
      switch result {
      case .success(let response): .response(statusCode: response.statusCode)
      case .failure(let error): error.isCancelled ? .cancelled : .failure(error)
      }
  }
}

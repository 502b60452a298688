/// An event in the life of a request, with its time.
///
/// A successful request has these events: `queued`, `started`, `connecting` unless it reuses a connection,
/// `connected`, `requestSent`, `firstByte`, `bodyReceived` for each piece, and `ended`. After `retried`, the
/// events begin again with `started`; after `redirected`, with `connecting` or `connected`. `queued` is the
/// first event of each request, and `ended` is the last.
///
/// The source of the response determines which events are reported:
///
/// - With `CurlTransport`, all of them. `connected` carries the durations of the name lookup and of the
///   handshakes, because libcurl measures them itself.
/// - With `URLSessionTransport`, `redirected`, and those that the provider reports for any transport:
///   `queued`, `started`, `firstByte` when the head of the response arrives, `bodySent`, `bodyReceived`,
///   `retried` and `ended`.
/// - With a response from a cache, none about a connection; with a stub, only `queued`, `retried` and
///   `ended`.
public struct RequestEvent: Sendable {
  /// What happened.
  public enum Kind: Sendable {
    /// The provider has accepted the request; interceptors and plugins prepare it.
    case queued(Call)
    /// The provider has passed an attempt to the transport, where it may wait for a connection or stream.
    case started(method: HTTPMethod, url: String)
    /// The transport opens a connection, after the name lookup; repeated if it tries several addresses.
    case connecting
    /// The request has a connection, and is sent next.
    case connected(Connection)
    /// The whole request has been passed to the connection; without a body, right after `connected`. Of a body of
    /// unknown length, 64 KiB may still wait for the connection.
    case requestSent
    /// The first byte of a response has arrived.
    case firstByte
    /// A number of bytes of the request body has been sent so far; `of` is the length of the body, if known.
    /// It may follow `requestSent` and `firstByte`, because the transport reports progress in batches.
    case bodySent(Int64, of: Int64?)
    /// A number of bytes of the response body has arrived so far, counted after decoding; `of` is the length
    /// that the head announces, if any.
    case bodyReceived(Int64, of: Int64?)
    /// The transport follows a redirect to a URL.
    case redirected(to: String, statusCode: Int)
    /// An interceptor has decided to send the request again, after a delay.
    case retried(dueTo: NetworkError, after: Duration)
    /// The request has ended; the metrics are those of the last attempt, if the transport has them.
    case ended(Outcome, TransferMetrics?)
  }

  /// The connection of a request, and the time that it took to open.
  public typealias Connection = TransportEvent.Connection

  /// The target of a request, and the reason for it.
  public struct Call: Sendable {
    /// The target; `nil` if the request has none.
    public var target: (any TargetType)?
    /// The method of the target.
    public var method: HTTPMethod
    /// The URL of the target; parameters that are encoded later may be missing.
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
    /// The program has called the provider.
    case call
    /// A policy sends a second copy of a slow request.
    case hedge(of: RequestID)
    /// An operator repeats a failed request; an interceptor's retry is an event of the same request.
    case retry(of: RequestID)
    /// Calls with equal requests share this transfer (`trackInflights`); the calls themselves are not
    /// `started`.
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
  /// The time, which is never before that of an earlier event of the request.
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
  /// The status of the response, even if the response is an error; `nil` without a response.
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

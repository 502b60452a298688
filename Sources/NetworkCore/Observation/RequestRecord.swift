/// A summary of a request's events: its phases, attempts and result.
///
/// ```swift
/// let slow = RequestRecordPlugin { record in
///   if record.duration > .seconds(1) { print(record) }
/// }
/// ```
public struct RequestRecord: Sendable {
  /// A phase of a request.
  public enum Phase: String, Sendable, CaseIterable {
    /// Waits in the provider and its interceptors, and then for a connection or stream.
    case queue
    /// Looks up the address of the host.
    case nameLookup
    /// Opens a connection.
    case connect
    /// Secures the connection (TLS).
    case secureConnect
    /// Sends the request body.
    case send
    /// Waits for the first byte of the response.
    case wait
    /// Receives the response.
    case receive
    /// Waits for the next attempt.
    case backoff
  }

  /// A phase with its beginning and its end.
  public struct Span: Sendable, Hashable {
    /// The phase.
    public let phase: Phase
    /// The beginning.
    public let start: ContinuousClock.Instant
    /// The end, which is not before the beginning.
    public let end: ContinuousClock.Instant

    /// The time between beginning and end.
    public var duration: Duration { end - start }
  }

  /// A redirect or a retry, which ends one attempt and begins another.
  public struct Repetition: Sendable {
    /// The time at which the attempt ended.
    public let time: ContinuousClock.Instant
    /// The status of the redirect; `nil` for a retry.
    public let redirectStatus: Int?
  }

  /// The maximum number of phases, and of repetitions, that a record keeps; later ones are dropped.
  public static let spanLimit = 256

  /// The identifier of the request.
  public let id: RequestID
  /// The time of the first event.
  public let start: ContinuousClock.Instant
  /// The time of the last event.
  public private(set) var latest: ContinuousClock.Instant
  /// The target of the request, and the reason for it; `nil` if there was no `queued` event.
  public private(set) var call: RequestEvent.Call?
  /// The method with which the provider started the last attempt; a redirect does not change it.
  public private(set) var method = HTTPMethod.get
  /// The URL of the last attempt, after redirects; it may contain secrets.
  public private(set) var url = ""
  /// The phases, in order; the last phase of an unfinished request ends at `latest`.
  public var spans: [Span] { recorded + (open.map { [$0.span(until: latest)] } ?? []) }
  /// The redirects and retries, in order; at most `spanLimit`.
  public private(set) var repetitions: [Repetition] = []
  /// The number of attempts that the provider has started, without redirects.
  public private(set) var attempts = 0
  /// The connection of the last attempt; `nil` if the transport does not report it.
  public private(set) var connection: RequestEvent.Connection?
  /// The number of bytes of the last response body that have arrived, counted after decoding.
  public private(set) var bodyBytesReceived: Int64 = 0
  /// The outcome of the request; `nil` while it is in flight.
  public private(set) var outcome: RequestEvent.Outcome?
  /// The metrics of the last attempt, if the transport has them.
  public private(set) var metrics: TransferMetrics?

  private var recorded: [Span] = []
  private var open: OpenSpan?
  /// The time at which the transport received the attempt.
  private var transportStart: ContinuousClock.Instant?

  private struct OpenSpan {
    var phase: Phase
    var start: ContinuousClock.Instant

    func span(until end: ContinuousClock.Instant) -> Span {
      Span(phase: phase, start: start, end: max(start, end))
    }
  }

  /// Creates a record from the first event of a request.
  ///
  /// - Parameter event: the event, usually `queued`.
  public init(_ event: RequestEvent) {
    id = event.id
    start = event.time
    latest = event.time
    open = OpenSpan(phase: .queue, start: event.time)
    add(event)
  }

  /// The time from the first event to the last one.
  public var duration: Duration { latest - start }

  /// Whether the request has ended.
  public var hasEnded: Bool { outcome != nil }

  /// The number of attempts after the first one, including redirects; at most `spanLimit`.
  public var resendCount: Int { repetitions.count }

  /// Adds the next event of the request; events after `ended` are ignored.
  ///
  /// - Parameter event: the event.
  public mutating func add(_ event: RequestEvent) {
    guard !hasEnded else { return }
    let time = max(latest, event.time)
    latest = time
    switch event.kind {
    case .queued(let call):
      self.call = call
      (method, url) = (call.method, call.url)
    case .started(let method, let url):
      attempts += 1
      (self.method, self.url, transportStart) = (method, url, time)
      if open?.phase == .backoff { enter(.queue, at: time) }
    case .connecting: if open?.phase == .queue { enter(.connect, at: time) }
    case .connected(let connection): connect(connection, at: time)
    case .requestSent: enter(.wait, at: time)
    case .firstByte: receive(at: time)
    case .bodySent: break
    case .bodyReceived(let count, _): bodyBytesReceived = count
    case .redirected(let url, let status):
      repeatRequest(.queue, status, at: time)
      (self.url, transportStart) = (url, time)
    case .retried: repeatRequest(.backoff, nil, at: time)
    case .ended(let outcome, let metrics):
      close(at: time)
      (self.outcome, self.metrics) = (outcome, metrics)
    }
  }
}

extension RequestRecord {
  private mutating func close(at time: ContinuousClock.Instant) {
    guard let span = open?.span(until: time) else { return }
    open = nil
    if span.end > span.start, recorded.count < Self.spanLimit { recorded.append(span) }
  }

  private mutating func enter(_ phase: Phase, at time: ContinuousClock.Instant) {
    close(at: time)
    open = OpenSpan(phase: phase, start: time)
  }

  private mutating func repeatRequest(_ phase: Phase, _ status: Int?, at time: ContinuousClock.Instant) {
    if repetitions.count < Self.spanLimit { repetitions.append(.init(time: time, redirectStatus: status)) }
    enter(phase, at: time)
    (connection, bodyBytesReceived) = (nil, 0)
  }

  /// Replaces the time since the attempt began with the durations that libcurl has measured.
  private mutating func connect(_ connection: RequestEvent.Connection, at time: ContinuousClock.Instant) {
    self.connection = connection
    guard !connection.isReused, let connect = connection.connect else { return enter(.send, at: time) }
    let secured = time - (connection.secureConnect ?? .zero)
    let connecting = secured - connect
    let lookup = connecting - (connection.nameLookup ?? .zero)
    // A `connecting` event may have opened the phase `connect`. The last recorded phase may belong to an earlier
    // attempt, because the phases beyond the limit are dropped.
    let begin: ContinuousClock.Instant
    if let span = open, span.phase == .connect, let last = recorded.last, last.phase == .queue,
      last.end == span.start
    {
      begin = last.start
      recorded.removeLast()
    } else {
      begin = open?.start ?? time
    }
    open = OpenSpan(phase: .queue, start: begin)
    enter(.nameLookup, at: max(begin, lookup))
    enter(.connect, at: max(begin, connecting))
    if connection.secureConnect != nil { enter(.secureConnect, at: max(begin, secured)) }
    enter(.send, at: time)
  }

  /// Begins the phase `receive`.
  ///
  /// The transport may have reported no earlier event of the attempt.
  private mutating func receive(at time: ContinuousClock.Instant) {
    if open?.phase == .queue, let transportStart {
      enter(.wait, at: max(transportStart, open?.start ?? transportStart))
    }
    enter(.receive, at: time)
  }
}

extension RequestRecord: CustomReflectable {
  /// The public properties, the URL without secrets.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "id": id, "method": method, "url": Redactor.standard.redacted(url: url), "spans": spans,
        "repetitions": repetitions, "attempts": attempts, "connection": connection as Any,
        "bodyBytesReceived": bodyBytesReceived, "metrics": metrics as Any, "outcome": outcome as Any,
      ], displayStyle: .struct)
  }
}

extension RequestRecord: CustomStringConvertible {
  /// The method, the URL without secrets, the result and the duration.
  public var description: String {
    let result =
      switch outcome {
      case .response(let status): "\(status)"
      case .failure(let error): error.response.map { "\($0.statusCode)" } ?? "\(error)"
      case .cancelled: "cancelled"
      case nil: "in flight"
      }
    return "\(id) \(method.rawValue) \(Redactor.standard.redacted(url: url)): \(result), \(duration)"
  }
}

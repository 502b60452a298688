import Dispatch
import Foundation
import NetworkCore
import ReactiveNetworkLock
import RxLite

/// A subscription to server-sent events, over successive connections.
///
/// `@unchecked Sendable` although it has mutable and non-`Sendable` properties: the events of a connection
/// arrive one at a time, and the next connection begins after the last event of the previous one. `dispose()`
/// uses only what is thread-safe.
final class EventSource: Disposable, @unchecked Sendable {
  /// Starts a request with additional header fields.
  typealias Connect =
    @Sendable (
      _ headers: HTTPHeaders, _ receive: @escaping @Sendable (ResponseStreamEvent) -> Void
    ) -> any Cancellable

  /// The minimum wait before a reconnection.
  ///
  /// Without it, a server that ends each response at once would be requested in a loop.
  private static let shortestWait = RxTimeInterval.milliseconds(100)

  private let observer: AnyObserver<ServerSentEvent>
  private let scheduler: any SchedulerType
  /// Whether to reconnect after a connection has ended.
  private let reconnects: Bool
  private let jitter: Double
  private let longestWait: RxTimeInterval
  /// The active request, or the wait for the next one.
  private let work = SerialDisposable()
  private var parser: EventStreamParser
  private let position: EventPosition
  private let request: AdmittedRequest
  /// The retry that continues this subscription if it fails.
  private let attempts: RetriedEvents?
  private let hasFailed = Lock(false)
  /// Whether a connection has led to an event stream.
  private var hasConnected = false

  init(
    _ position: EventPosition, of request: AdmittedRequest, in attempts: RetriedEvents?, limit: Int,
    _ scheduler: any SchedulerType, reconnects: Bool, jitter: Double, longestWait: RxTimeInterval,
    _ observer: AnyObserver<ServerSentEvent>
  ) {
    self.position = position
    self.request = request
    self.attempts = attempts
    parser = EventStreamParser(lastEventID: position.current.lastEventID, limit: limit)
    self.scheduler = scheduler
    self.reconnects = reconnects
    self.jitter = min(1, max(0, jitter))
    self.longestWait = longestWait
    self.observer = observer
  }

  func dispose() {
    work.dispose()
    if !hasFailed.withLock({ $0 }) { attempts?.endEvents(position) }
  }

  /// Ends the sequence; an operator may dispose this object before a retry gets the error.
  private func fail(_ error: NetworkError) {
    noteResumption(parser.lastEventID)
    position.current.hasFailed = true
    hasFailed.withLock { $0 = true }
    // A source that reconnects does not fail with such an error, so no earlier connection has sent the request.
    request.end(error)
    observer.onError(error)
  }

  func connect(_ start: @escaping Connect) {
    guard !work.isDisposed else { return }
    var headers: HTTPHeaders = ["Accept": "text/event-stream", "Cache-Control": "no-cache"]
    noteResumption(parser.lastEventID)
    let resumption = HTTPHeader(name: "Last-Event-ID", value: position.current.lastEventID)
    if !resumption.value.isEmpty, resumption.canBeSent { headers.add(resumption) }
    parser.beginConnection()
    // Set before the start, because a request that ends at once sets its successor in `work`.
    let connection = SingleAssignmentDisposable()
    work.disposable = connection
    // The reference cycle through the closure ends with the request.
    let token = start(headers) { event in
      guard !connection.isDisposed else { return }
      self.receive(event, start)
    }
    connection.setDisposable(Disposables.create { token.cancel() })
  }

  private func receive(_ event: ResponseStreamEvent, _ start: @escaping Connect) {
    // A stub delivers its whole response before the subscription can be disposed.
    guard !hasFailed.withLock({ $0 }), !request.hasEnded else { return }
    switch event {
    case .response(let response): check(response)
    case .chunk(let chunk):
      var events: [ServerSentEvent] = []
      var failure: StreamError?
      do throws(StreamError) { try parser.parse(chunk, into: &events) } catch { failure = error }
      if let time = parser.reconnectionTime {
        position.current.reconnectionTime = .milliseconds(Int((min(time.inSeconds, 1e9) * 1000).rounded()))
      }
      for event in events {
        // After a failure downstream, a retry asks for the events that were not delivered.
        guard !work.isDisposed, !request.hasEnded else { return }
        noteResumption(event.id)
        observer.onNext(event)
      }
      if let failure { fail(.underlying(failure, nil)) }
    case .finished(.statusCode(let response)?) where response.statusCode == 204: observer.onCompleted()
    case .finished(let error?) where !reconnects || !error.allowsReconnection(after: hasConnected):
      fail(error)
    case .finished where !reconnects: observer.onCompleted()
    case .finished: reconnect(start)
    }
  }

  /// Notes the last `id`, if a field can hold it.
  ///
  /// After an `id` with a control character, the server sends the events since an earlier one again.
  private func noteResumption(_ id: String) {
    guard HTTPHeader(name: "Last-Event-ID", value: id).canBeSent else { return }
    position.current.lastEventID = id
  }

  private func check(_ response: Response) {
    guard response.statusCode != 204 else { return observer.onCompleted() }
    guard response.statusCode == 200 else {
      return fail(.statusCode(response))
    }
    let type = response.headers["Content-Type"]
    let name = type?.prefix { $0 != ";" }.trimmed.lowercased()
    guard name == "text/event-stream" else {
      return fail(.underlying(StreamError.notAnEventStream(contentType: type), response))
    }
    hasConnected = true
  }

  private func reconnect(_ start: @escaping Connect) {
    let least = max(position.current.reconnectionTime.inSeconds, Self.shortestWait.inSeconds)
    // A bound after the jitter would remove it from all waits that reach the bound.
    let base = min(least, longestWait.inSeconds / (1 + jitter))
    let seconds = base * (1 + jitter * .random(in: 0...1))
    // Set before scheduling, because the wait may end before `scheduleRelative` returns, and the next
    // connection then replaces it.
    let wait = SingleAssignmentDisposable()
    work.disposable = wait
    wait.setDisposable(
      scheduler.scheduleRelative((), dueTime: .inSeconds(max(seconds, Self.shortestWait.inSeconds))) {
        self.connect(start)
        return Disposables.create()
      })
  }
}

extension NetworkError {
  /// Whether the connection failed for a reason that may not affect the next one.
  fileprivate func allowsReconnection(after success: Bool) -> Bool {
    // The codes of Foundation, because the errors of stubs and of other providers may be `URLError`s.
    switch urlErrorCode {
    case .timedOut?, .cannotFindHost?, .dnsLookupFailed?, .cannotConnectToHost?, .networkConnectionLost?,
      .notConnectedToInternet?:
      true
    // Without an earlier connection, the configuration may be wrong.
    case .secureConnectionFailed?: success
    // The policies of the transport refuse some requests for a time.
    default: isRefusal
    }
  }
}

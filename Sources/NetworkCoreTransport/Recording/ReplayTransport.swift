import Dispatch
public import Foundation
import ReactiveNetworkLock

/// Responds to requests from the files of a `RecordingTransport`, without any network.
///
/// A request matches a recorded one with the same method, URL and body; secret parameters of the URL, such as
/// `access_token`, may differ, and so may a body from a file or a stream, which counts as none. It gets the recorded
/// responses in the order in which their requests were started; the last one is repeated. Any other request ends
/// with `TransferError.notRecorded`.
///
/// A WebSocket gets each frame of the recorded server as soon as it has sent as many messages as the recorded
/// client had before the frame, whatever they contain. If it sends more than was recorded, the transfer ends
/// with `TransferError.conversationNotRecorded`. If it sends fewer, the server is silent. The replay responds to
/// pings, and to a close frame that comes earlier than in the recording.
public final class ReplayTransport: Transport {
  private let redactor: Redactor
  private let responses: Lock<[RecordedExchange.Key: Queue<RecordedExchange>]>
  private let queue = DispatchQueue(label: "NetworkCore.replay")

  /// Creates a transport.
  ///
  /// - Parameter folder: the folder of the files; all are read at once.
  /// - Throws: `RecordingError.cannotRead` if the folder, or a file in it with the extension `json`, cannot
  ///   be read or is not a recording.
  public init(folder: URL) throws(RecordingError) {
    var exchanges: [RecordedExchange] = []
    for file in try RecordedExchange.files(in: folder) {
      do {
        exchanges.append(try JSONDecoder().decode(RecordedExchange.self, from: Data(contentsOf: file)))
      } catch {
        throw .cannotRead(path: file.path, reason: "\(error)")
      }
    }
    let publicParameters = exchanges.flatMap { $0.publicParameters ?? [] }
    redactor = Redactor(names: Redactor.secretFields, publicParameters: publicParameters)
    for index in exchanges.indices {
      // An earlier version may have written parameters that count as secrets now.
      exchanges[index].request.url = redactor.redacted(url: exchanges[index].request.url)
      exchanges[index].url = redactor.redacted(url: exchanges[index].url)
    }
    responses = Lock(
      Dictionary(grouping: exchanges, by: \.request)
        .mapValues { Queue($0.sorted { $0.number < $1.number }) })
  }

  /// Starts a transfer; its events are reported on the transport's own queue.
  public func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let found = Result { () throws(TransferError) in try response(to: request) }
    if case .success(let exchange) = found, let recording = exchange.webSocket {
      let socket = ReplayedWebSocket(recording, request, exchange.head(for: request), queue, handler)
      queue.async { socket.begin() }
      return socket
    }
    let transfer = ReplayedTransfer(request, handler)
    queue.async { transfer.deliver(found) }
    return transfer
  }

  /// `true`: recorded WebSockets are replayed.
  public var upgradesConnections: Bool { true }

  /// Returns `[]`: nothing is sent.
  public func addedCredentials(to request: TransportRequest) -> AddedCredentials { [] }

  private func response(to request: TransportRequest) throws(TransferError) -> RecordedExchange {
    var admitted = request
    if let refusal = admitted.normalizeAndValidate() { throw refusal }
    let key = RecordedExchange.Key(request, redactor)
    let next = responses.withLock { responses in
      responses[key]?.count ?? 0 > 1 ? responses[key]?.popFirst() : responses[key]?.first
    }
    guard let next else { throw .notRecorded(method: key.method, url: key.url) }
    return next
  }
}

/// A transfer that delivers a recorded response, unless it is cancelled.
private final class ReplayedTransfer: Cancellable {
  private struct State {
    var handler: (@Sendable (TransferEvent) -> Void)?
    var isCancelled = false
  }

  private let request: TransportRequest
  private let state: Lock<State>

  init(_ request: TransportRequest, _ handler: @escaping @Sendable (TransferEvent) -> Void) {
    self.request = request
    state = Lock(State(handler: handler))
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func cancel() { state.withLock { $0.isCancelled = true } }

  /// Delivers the events; runs on the transport's serial queue.
  func deliver(_ found: Result<RecordedExchange, TransferError>) {
    let handler = state.withLock { $0.handler.take() }
    guard let handler else { return }
    switch found {
    case .success(let exchange):
      var events: [TransferEvent] = []
      if request.reportsProgress, case .data(let body) = request.body {
        events.append(.sent(Int64(body.count), of: Int64(body.count)))
      }
      events.append(.head(exchange.head(for: request)))
      let limit = request.responseBodyLimit ?? .max
      let error = exchange.body.count > limit ? TransferError.responseTooLarge(limit: limit) : nil
      if !exchange.body.isEmpty, error == nil { events.append(.body(exchange.body)) }
      for event in events where !isCancelled { handler(event) }
      handler(.finished(isCancelled ? .cancelled : error))
    case .failure(let error):
      handler(.finished(isCancelled ? .cancelled : error))
    }
  }
}

internal import AsyncHTTPClient
internal import Dispatch
internal import Foundation
internal import NIOCore
internal import NIOHTTPCompression
internal import NetworkCore
internal import Synchronization

/// A transfer of `AsyncHTTPClientTransport`: the token that its caller holds, and its events.
///
/// A task exchanges the messages and never blocks; the handler runs on a queue. So a cancellation reaches the
/// server even while the handler blocks.
final class AsyncHTTPClientTransfer: Transfer {
  private struct Control {
    var handler: (@Sendable (TransferEvent) -> Void)?
    var task: Task<Void, Never>?
    var body: RequestBodySequence?
    var isCancelled = false
    var isPaused = false
    /// The number of events that the handler has not yet handled.
    var pendingEvents = 0
    var hasHead = false
    var lastActivity = ContinuousClock.now
    /// The reason why the transport itself ended the transfer.
    var failure: TransferError?

    var mustWait: Bool { isPaused || pendingEvents > 0 }
  }

  private let connectTimeout: Duration
  private let queue = DispatchQueue(label: "AsyncHTTPClientTransfer")
  private let control: Mutex<Control>
  /// Elements arrive after an event has been handled, and after `resume()`.
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  init(connectTimeout: Duration, handler: @escaping @Sendable (TransferEvent) -> Void) {
    self.connectTimeout = connectTimeout
    (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    control = Mutex(Control(handler: handler))
  }

  /// Sends a request; called once.
  func start(_ request: TransportRequest, over client: HTTPClient) {
    control.withLock { $0.task = Task { await run(request, over: client) } }
  }

  var isCancelled: Bool { control.withLock { $0.isCancelled } }

  func cancel() {
    let task = control.withLock { control in
      control.isCancelled = true
      return control.task
    }
    task?.cancel()
  }

  func pause() { control.withLock { $0.isPaused = true } }

  func resume() {
    control.withLock { ($0.isPaused, $0.lastActivity) = (false, .now) }
    wake.yield()
  }

  private func run(_ request: TransportRequest, over client: HTTPClient) async {
    let idleTimer = Task { try await end(afterIdle: request.idleTimeout) }
    var failure: TransferError?
    do {
      let request = try request.validated()
      let sent = try await HTTPClientRequest(request, body: openBody(of: request))
      let response = try await client.execute(sent, deadline: .distantFuture)
      noteActivity()
      request.observer?.report(.firstByte)
      try await receive(response, to: request)
    } catch {
      let (known, hasHead) = control.withLock { ($0.failure, $0.hasHead) }
      failure =
        known
        ?? TransferError(error, url: request.url, hasHead: hasHead, connectTimeout: connectTimeout)
    }
    idleTimer.cancel()
    await closeBody()
    queue.async { [self, failure] in
      let (handler, error) = control.withLock { control in
        control.task = nil
        return (control.handler.take(), control.isCancelled ? .cancelled : failure)
      }
      handler?(.finished(error))
    }
  }

  /// Opens the request body on the queue, because this may block.
  private func openBody(of request: TransportRequest) async throws -> RequestBodySequence {
    let body = try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        let body = Result {
          try RequestBodySequence(request) { [weak self] in
            self?.didSend($0, of: $1, isReported: request.reportsProgress)
          }
        }
        continuation.resume(with: body)
      }
    }
    control.withLock { $0.body = body }
    try Task.checkCancellation()
    return body
  }

  private func closeBody() async {
    await control.withLock { $0.body.take() }?.close()
  }

  private func didSend(_ count: Int64, of length: Int64?, isReported: Bool) {
    noteActivity()
    if isReported { deliver(.sent(count, of: length)) }
  }

  private func receive(_ response: HTTPClientResponse, to request: TransportRequest) async throws {
    control.withLock { $0.hasHead = true }
    deliver(.head(ResponseHead(response, to: request)))
    do {
      try await receiveBody(of: response, limit: request.responseBodyLimit)
    } catch is NIOHTTPDecompression.ExtraDecompressionError
      where request.method == .head || [204, 304].contains(response.statusCode)
    {
      // SwiftNIO takes a response that must not have a body for a compressed one that was cut off.
    } catch  where response.isRedirect && error.isOfDecompression {
      // The transport follows each redirect, and needs no body of it.
    }
  }

  private func receiveBody(of response: HTTPClientResponse, limit: Int?) async throws {
    var count = 0
    for try await piece in response.body where piece.readableBytes > 0 {
      noteActivity()
      count += piece.readableBytes
      if let limit, count > limit { throw TransferError.responseTooLarge(limit: limit) }
      // One piece is read ahead, so that the end can be reported during a pause if nothing is left.
      while control.withLock({ $0.mustWait }) {
        for await _ in wakes { break }
        try Task.checkCancellation()
      }
      deliver(.body(Data(piece.readableBytesView)))
    }
  }

  /// Queues an event for the handler, which receives it unless the transfer has been cancelled.
  private func deliver(_ event: TransferEvent) {
    control.withLock { $0.pendingEvents += 1 }
    queue.async { [self] in
      let handler = control.withLock { $0.isCancelled ? nil : $0.handler }
      handler?(event)
      control.withLock { control in
        control.pendingEvents -= 1
        control.lastActivity = .now
      }
      wake.yield()
    }
  }

  private func noteActivity() {
    control.withLock { $0.lastActivity = .now }
  }

  /// Ends the transfer when nothing has been sent or received for some time.
  private func end(afterIdle timeout: Duration) async throws {
    guard timeout > .zero else { return }
    let limit = min(timeout, .seconds(1_000_000_000))
    while true {
      // Neither a pause nor a handler that blocks is idle time.
      let rest = control.withLock { $0.mustWait ? limit : $0.lastActivity + limit - .now }
      guard rest <= .zero else {
        try await Task.sleep(for: rest)
        continue
      }
      let task = control.withLock { control in
        control.failure = .timedOut(after: timeout)
        return control.task
      }
      return task?.cancel() ?? ()
    }
  }
}

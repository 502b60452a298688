public import Foundation
import ReactiveNetworkLock

/// Sends requests through another transport and writes the responses to files, for a `ReplayTransport`.
///
/// ```swift
/// let recorder = try RecordingTransport(CurlTransport(), folder: fixtures)
/// let provider = NetworkProvider<GitHub>(transport: recorder)
/// ```
///
/// Each complete response becomes one JSON file, which is written before the end of the transfer is reported.
/// The files, which only this user can read, contain method and URL of the request, and status, header fields
/// and body of the response. Secrets of the request are not written: neither its header fields, nor user,
/// password and parameters such as `access_token` of its URL, and of its body only a digest, if it is in memory.
/// Nor are the fields of the response that `omitting` names, and the values of others with secrets, such as
/// `X-Auth-Token`, except `Set-Cookie`. Requests that differ only in secrets count as equal, so a replay answers
/// them in the order in which they were started. If a parameter such as `code` or `key` is no secret but selects the
/// response, name it in `publicParameters`. Failed transfers are not recorded. A folder holds one recording: the
/// files of another one are neither replaced nor added to.
///
/// Of a WebSocket, the file contains the response to the handshake and what the server sends, frame by frame;
/// of the client's messages, it contains only how many were sent before each frame. Compressed messages are
/// written as they are, so record without `WebSocketOptions.offersCompression` to read the file. It is written
/// when the server closes, before the end is reported, or when the connection ends, however it does.
public final class RecordingTransport: TransportLayer {
  /// The transport that carries the requests.
  public let wrapped: any Transport
  private let folder: URL
  private let omitted: [String]
  private let publicParameters: [String]
  private let redactor: Redactor
  private let webSocketLimit: Int
  /// The number of transfers that have been started for each request.
  private let counts = Lock([RecordedExchange.Key: Int]())

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - transport: carries the requests.
  ///   - folder: the folder of the files; it is created, for this user only, if it does not exist. It must not
  ///     contain a file with the extension `json`, such as those of another recording.
  ///   - omitting: the names of response header fields that are not written.
  ///   - publicParameters: the names of URL parameters that are written although they sound like secrets.
  ///   - webSocketLimit: the approximate size in memory, in bytes, at which the recording of a WebSocket ends;
  ///     what follows is passed on, and not recorded.
  /// - Throws: `RecordingError.alreadyRecorded` if the folder has files of another recording, `.cannotRead` if
  ///   it cannot be read, and `.cannotWrite` if it cannot be created.
  public init(
    _ transport: any Transport, folder: URL, omitting: [String] = ["Set-Cookie"],
    publicParameters: [String] = [], webSocketLimit: Int = 64 << 20
  ) throws(RecordingError) {
    wrapped = transport
    self.folder = folder
    self.omitted = omitting
    self.publicParameters = publicParameters
    redactor = Redactor(names: Redactor.secretFields, publicParameters: publicParameters)
    self.webSocketLimit = webSocketLimit
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .cannotWrite(path: folder.path, reason: error.localizedDescription)
    }
    guard try RecordedExchange.files(in: folder).isEmpty else { throw .alreadyRecorded(path: folder.path) }
  }

  /// Returns what the wrapped transport adds to a request.
  ///
  /// - Parameter request: the request.
  /// - Returns: the cookies and credentials.
  public func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    wrapped.addedCredentials(to: request)
  }

  /// Starts a transfer; if its response cannot be written, it ends with `TransferError.other`.
  public func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let key = RecordedExchange.Key(request, redactor)
    guard key.upgrade == nil || key.upgrade == "websocket" else {
      return wrapped.start(request, handler: handler)
    }
    let recorder = key.upgrade.map { _ in WebSocketRecorder(request, limit: webSocketLimit) }
    // Not at the end, because a replay answers equal requests in the order in which they start.
    let number = counts.withLock { counts in
      defer { counts[key, default: 0] += 1 }
      return counts[key, default: 0]
    }
    let transfer = RecordedTransfer(number: number)
    let token = wrapped.start(recorder?.counting(request) ?? request) { event in
      switch (self.record(event, key, transfer, recorder), event) {
      case (nil, _): handler(event)
      case (let error?, .finished): handler(.finished(error))
      case (let error?, _): transfer.fail(error)
      }
    }
    if recorder != nil { transfer.attach(token) }
    return token
  }

  /// Records an event; returns an error if the response cannot be written.
  private func record(
    _ event: TransferEvent, _ key: RecordedExchange.Key, _ transfer: RecordedTransfer,
    _ recorder: WebSocketRecorder?
  ) -> TransferError? {
    switch event {
    case .head(let head): transfer.begin(head)
    case .body(let piece):
      guard let recorder, let head = transfer.switchedHead else {
        transfer.append(piece)
        break
      }
      return transfer.error
        ?? recorder.receive(piece).flatMap { write(key, transfer.number, head, Data(), $0) }
    case .finished(let end):
      let (head, body, error) = transfer.end()
      if let error { return error }
      guard let recorder, let head, head.statusCode == 101 else {
        return end == nil ? head.flatMap { write(key, transfer.number, $0, body, nil) } : nil
      }
      return recorder.finish(end).flatMap { write(key, transfer.number, head, Data(), $0) }
    case .sent, .metrics: break
    }
    return nil
  }

  private func write(
    _ key: RecordedExchange.Key, _ number: Int, _ head: ResponseHead, _ body: Data,
    _ webSocket: RecordedWebSocket?
  ) -> TransferError? {
    var exchange = RecordedExchange(key, number: number, head: head, body: body, omitting: omitted, redactor)
    exchange.webSocket = webSocket
    if !publicParameters.isEmpty { exchange.publicParameters = publicParameters }
    let file = folder.appendingPathComponent(exchange.fileName)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let part = folder.appendingPathComponent(".\(UUID().uuidString).part")
    let failure: RecordingError
    do {
      try PrivateFile.publish(at: file.path, containing: encoder.encode(exchange), through: part.path)
      return nil
    } catch let error as SystemCallError where error.code == EEXIST {
      failure = .alreadyRecorded(path: file.path)
    } catch let error as SystemCallError {
      failure = .cannotWrite(path: file.path, reason: error.message)
    } catch {
      failure = .cannotWrite(path: file.path, reason: error.localizedDescription)
    }
    return .other(code: 0, reason: failure.localizedDescription)
  }
}

/// The response to a request that is being recorded.
private final class RecordedTransfer: Sendable {
  private struct State {
    var head: ResponseHead?
    var body = Data()
    /// The reason why the transfer is cancelled.
    var error: TransferError?
    /// The transfer of a WebSocket.
    var token: (any Cancellable)?
  }

  /// The index of the transfer among those of equal requests, from 0.
  let number: Int
  private let state = Lock(State())

  init(number: Int) {
    self.number = number
  }

  func begin(_ head: ResponseHead) {
    state.withLock { ($0.head, $0.body) = (head, Data()) }
  }

  func append(_ piece: Data) { state.withLock { $0.body.append(piece) } }

  /// The reason why the transfer is cancelled.
  var error: TransferError? { state.withLock { $0.error } }

  /// The head after which the bytes of another protocol follow.
  var switchedHead: ResponseHead? { state.withLock { $0.head?.statusCode == 101 ? $0.head : nil } }

  /// Stores the token of a transfer, and cancels it if it has failed.
  func attach(_ token: any Cancellable) {
    let hasFailed = state.withLock { state in
      state.token = token
      return state.error != nil
    }
    if hasFailed { token.cancel() }
  }

  /// Cancels the transfer, which then ends with an error.
  func fail(_ error: TransferError) {
    let token = state.withLock { state in
      state.error = error
      return state.token
    }
    token?.cancel()
  }

  /// Releases the response, and returns it, and the error of a transfer that has failed.
  func end() -> (head: ResponseHead?, body: Data, error: TransferError?) {
    let spent = state.withLock { state in
      defer { state = State(error: state.error) }
      return state
    }
    return (spent.head, spent.body, spent.error)
  }
}

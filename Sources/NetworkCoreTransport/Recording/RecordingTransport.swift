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
/// password and parameters such as `access_token` of its URL, and of its body only a digest. Nor are the fields
/// of the response that `omitting` names. Failed transfers and WebSockets are not recorded.
public final class RecordingTransport: TransportLayer {
  /// The transport that carries the requests.
  public let wrapped: any Transport
  private let folder: URL
  private let omitted: [String]
  /// The number of responses that have been recorded for each request.
  private let counts = Lock([RecordedExchange.Key: Int]())

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - transport: carries the requests.
  ///   - folder: the folder of the files; it is created, for this user only, if it does not exist. Files of an earlier recording
  ///     are overwritten.
  ///   - omitting: the names of response header fields that are not written.
  /// - Throws: `RecordingError.cannotWrite` if the folder cannot be created.
  public init(
    _ transport: any Transport, folder: URL, omitting: [String] = ["Set-Cookie"]
  ) throws(RecordingError) {
    wrapped = transport
    self.folder = folder
    self.omitted = omitting
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw .cannotWrite(path: folder.path, reason: error.localizedDescription)
    }
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
    guard !request.upgradesConnection else { return wrapped.start(request, handler: handler) }
    let response = Lock(RecordedResponse())
    return wrapped.start(request) { event in
      switch event {
      case .head(let head): response.withLock { $0 = RecordedResponse(head: head) }
      case .body(let piece): response.withLock { $0.body.append(piece) }
      case .finished(nil):
        let whole = response.withLock { $0 }
        if let error = whole.head.flatMap({ self.write(RecordedExchange.Key(request), $0, whole.body) }) {
          return handler(.finished(error))
        }
      default: break
      }
      handler(event)
    }
  }

  private struct RecordedResponse {
    var head: ResponseHead?
    var body = Data()
  }

  private func write(_ key: RecordedExchange.Key, _ head: ResponseHead, _ body: Data) -> TransferError? {
    let number = counts.withLock { counts in
      defer { counts[key, default: 0] += 1 }
      return counts[key, default: 0]
    }
    let exchange = RecordedExchange(key, number: number, head: head, body: body, omitting: omitted)
    let file = folder.appendingPathComponent(exchange.fileName)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let part = folder.appendingPathComponent(".\(UUID().uuidString).part")
    let reason: String
    do {
      try PrivateFile.replace(at: file.path, with: encoder.encode(exchange), through: part.path)
      return nil
    } catch let error as SystemCallError {
      reason = error.message
    } catch {
      reason = error.localizedDescription
    }
    let error = RecordingError.cannotWrite(path: file.path, reason: reason)
    return .other(code: 0, reason: error.localizedDescription)
  }
}

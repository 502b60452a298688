public import Foundation
import Locking

/// Sends requests through another transport and writes the answers to files, for a `ReplayTransport` to give again.
///
/// ```swift
/// let recorder = try RecordingTransport(CurlTransport(), folder: fixtures)
/// let provider = NetworkProvider<GitHub>(transport: recorder)
/// ```
///
/// Each whole answer becomes one file of JSON, which is written before the end of the transfer is reported. Files hold
/// method, URL and body of the request, and status, header fields and body of the answer. Header fields of the request, which
/// may hold secrets, are not written, nor are those of the answer that `omitting` names. Failed transfers are not recorded.
public final class RecordingTransport: Transport {
  private let transport: any Transport
  private let folder: URL
  private let omitted: [String]
  /// How many answers each request has had.
  private let counts = Lock([RecordedExchange.Key: Int]())

  /// Makes a transport.
  ///
  /// - Parameters:
  ///   - transport: what carries the requests.
  ///   - folder: where the files go; it is made where it is missing. Files of an earlier recording are written over.
  ///   - omitting: names of header fields of answers that are not written.
  /// - Throws: `RecordingError.cannotWrite` where the folder cannot be made.
  public init(
    _ transport: any Transport, folder: URL, omitting: [String] = ["Set-Cookie"]
  ) throws(RecordingError) {
    self.transport = transport
    self.folder = folder
    self.omitted = omitting
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw .cannotWrite(path: folder.path, reason: error.localizedDescription)
    }
  }

  /// The other transport's fields.
  public var defaultHeaders: HTTPHeaders { transport.defaultHeaders }

  /// Starts a transfer; one whose answer cannot be written ends with `TransferError.other`.
  public func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let answer = Lock(Answer())
    return transport.start(request) { event in
      switch event {
      case .head(let head): answer.withLock { $0 = Answer(head: head) }
      case .body(let piece): answer.withLock { $0.body.append(piece) }
      case .finished(nil):
        let whole = answer.withLock { $0 }
        if let error = whole.head.flatMap({ self.write(RecordedExchange.Key(request), $0, whole.body) }) {
          return handler(.finished(error))
        }
      default: break
      }
      handler(event)
    }
  }

  private struct Answer {
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
    do {
      try encoder.encode(exchange).write(to: file, options: .atomic)
      return nil
    } catch {
      let reason = RecordingError.cannotWrite(path: file.path, reason: error.localizedDescription)
      return .other(code: 0, reason: reason.localizedDescription)
    }
  }
}

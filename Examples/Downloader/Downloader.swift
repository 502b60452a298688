import ReactiveNetwork
import ReactiveNetworkExamples

/// A file on a server.
struct RemoteFile: TargetType {
  let baseURL: URL
  var path: String { "" }
  var headers: [String: String]? { ["User-Agent": "downloader"] }
  var validationType: ValidationType { .successCodes }
}

/// Downloads files; the core of the program.
struct Downloader {
  let provider: NetworkProvider<RemoteFile>
  let directory: URL

  /// Emits the events of the files, of which at most `concurrency` are downloaded at a time.
  func updates(of items: [DownloadItem], concurrency: Int) -> Observable<TransferUpdate> {
    Observable.from(Array(items.enumerated()))
      .map { index, item in events(of: item).map { TransferUpdate(index, $0) } }
      .merge(maxConcurrent: concurrency)
  }

  /// Downloads one file; an error becomes an event, so that the other files continue.
  private func events(of item: DownloadItem) -> Observable<TransferUpdate.Event> {
    let file = directory.appendingPathComponent(item.name)
    return Observable.deferred {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue
      else { return download(item, to: file) }
      let sum = try unexpectedSum(of: file, item)
      return .just(
        sum.map { .failed("a different file already exists, with \($0)") } ?? .done("already exists"))
    }
    .subscribe(on: ConcurrentDispatchQueueScheduler(qos: .utility))
    .catch { .just(.failed(explanation(of: $0))) }
  }

  private func download(_ item: DownloadItem, to file: URL) -> Observable<TransferUpdate.Event> {
    provider.rx.download(RemoteFile(baseURL: item.url), to: file, options: .createIntermediateDirectories)
      .map { .transferred($0.completedUnitCount, of: $0.totalUnitCount) }
      // The bytes that have arrived are kept, and the next attempt requests the rest.
      .retryingWhileProgressing()
      // Hashing takes time, so it does not run on the thread that serves all transfers.
      .observe(on: ConcurrentDispatchQueueScheduler(qos: .utility))
      .concat(
        Observable.deferred {
          guard let sum = try unexpectedSum(of: file, item) else { return .just(.done("")) }
          try FileManager.default.removeItem(at: file)
          return .just(.failed("removed: it has \(sum)"))
        })
  }

  /// Returns the file's SHA-256 and the expected one if they differ, otherwise `nil`.
  private func unexpectedSum(of file: URL, _ item: DownloadItem) throws -> String? {
    guard let sum = item.sum else { return nil }
    let found = try SHA256.hex(ofFile: file)
    return found == sum ? nil : "SHA-256 \(found), not \(sum)"
  }
}

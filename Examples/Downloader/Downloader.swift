import ExampleSupport
import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite

/// A file on a server.
struct RemoteFile: TargetType {
  let baseURL: URL
  var path: String { "" }
  var headers: [String: String]? { ["User-Agent": "downloader"] }
  var validationType: ValidationType { .successCodes }
}

/// Downloads files: what the program is about.
struct Downloader {
  let provider: NetworkProvider<RemoteFile>
  let directory: URL

  /// What happens to the files, so many at a time.
  func steps(of items: [Item], concurrency: Int) -> Observable<Step> {
    Observable.from(Array(items.enumerated()))
      .map { index, item in events(of: item).map { Step(index, $0) } }
      .merge(maxConcurrent: concurrency)
  }

  /// One file: an error becomes something to show, so that the others go on.
  private func events(of item: Item) -> Observable<Step.Event> {
    let file = directory.appendingPathComponent(item.name)
    return Observable.deferred {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue
      else { return download(item, to: file) }
      let sum = try unexpectedSum(of: file, item)
      return .just(
        sum.map { .failed("another file is there already, with \($0)") } ?? .done("was there already"))
    }
    .subscribe(on: ConcurrentDispatchQueueScheduler(qos: .utility))
    .catch { .just(.failed(explanation(of: $0))) }
  }

  private func download(_ item: Item, to file: URL) -> Observable<Step.Event> {
    provider.rx.download(RemoteFile(baseURL: item.url), to: file, options: .createIntermediateDirectories)
      .map { .moved($0.completedUnitCount, of: $0.totalUnitCount) }
      // What has come is kept: the next attempt asks for the rest.
      .persisting()
      // A hash takes its time: not on the thread that serves all transfers.
      .observe(on: ConcurrentDispatchQueueScheduler(qos: .utility))
      .concat(
        Observable.deferred {
          guard let sum = try unexpectedSum(of: file, item) else { return .just(.done("")) }
          try FileManager.default.removeItem(at: file)
          return .just(.failed("removed: it has \(sum)"))
        })
  }

  /// What is wrong with the sum of a file.
  private func unexpectedSum(of file: URL, _ item: Item) throws -> String? {
    guard let sum = item.sum else { return nil }
    let found = try SHA256.hex(ofFile: file)
    return found == sum ? nil : "SHA-256 \(found), not \(sum)"
  }
}

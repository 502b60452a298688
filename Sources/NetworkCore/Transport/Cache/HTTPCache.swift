public import Foundation
internal import Locking

/// Answers that may be used again, in memory and in the files of a folder; for a `CachingTransport`, or several.
///
/// What was used last is kept. Answers to requests with `Authorization`, or with a `Cookie` that the answer depends on, are
/// kept in memory alone. Files that are damaged are removed, and not used. May be used on any thread.
public final class HTTPCache: Sendable {
  private let memory: Lock<MemoryStore>
  private let disk: DiskStore?
  /// What calls the handlers of answers that are given.
  let callbacks = CallbackPool()

  /// Makes a cache.
  ///
  /// - Parameters:
  ///   - memoryCapacity: the bytes of answers that are kept in memory; 0 for none.
  ///   - diskCapacity: the bytes of answers that are kept in files.
  ///   - directory: the folder of the files, which is made where it is missing; it must hold nothing else. `nil` for none.
  /// - Throws: `HTTPCacheError` for a folder that cannot be used.
  public init(
    memoryCapacity: Int = 4 << 20, diskCapacity: Int = 20 << 20, directory: URL? = nil
  ) throws(HTTPCacheError) {
    memory = Lock(MemoryStore(capacity: max(0, memoryCapacity)))
    do {
      disk = try directory.map { [callbacks] folder in
        try DiskStore(folder: folder, capacity: max(0, diskCapacity), callbacks: callbacks)
      }
    } catch {
      throw HTTPCacheError(path: directory?.path ?? "", reason: error.localizedDescription)
    }
  }

  /// The bytes of answers that are kept in memory.
  public var memoryCapacity: Int { memory.withLock { $0.capacity } }
  /// The bytes of answers that are kept in files; 0 without a folder.
  public var diskCapacity: Int { disk?.capacity ?? 0 }
  /// The bytes of answers that are in memory now, about.
  public var currentMemoryUsage: Int { memory.withLock { $0.usage } }
  /// The bytes of the files that there are now.
  public var currentDiskUsage: Int { disk?.usage ?? 0 }

  /// Forgets every answer.
  public func removeAllCachedResponses() {
    disk?.forgetAndWait()
    // After the files, of which one may just have been read.
    memory.withLock { $0.removeAll() }
  }

  /// Forgets the answers to requests for a URL.
  public func removeCachedResponse(for url: String) {
    disk?.forgetAndWait(url.withoutFragment)
    memory.withLock { $0.remove(url.withoutFragment) }
  }

  /// The most bytes that the body of an answer may have to be stored: a tenth of the larger capacity.
  var bodyLimit: Int { max(memoryCapacity, diskCapacity) / 10 }

  /// The answers to a URL that are in memory.
  func answers(for url: String) -> [StoredAnswer] { memory.withLock { $0.answers(for: url) } }

  /// Takes note that an answer in memory was given, whose file is not to be the oldest.
  func noteUse(of answer: StoredAnswer) { disk?.noteUse(of: answer.url) }

  /// Whether `read(_:beside:then:)` may find anything; reads no file.
  func mayRead(_ url: String, beside inMemory: [StoredAnswer]) -> Bool {
    disk?.mayHave(url, beside: inMemory) ?? false
  }

  /// Reads the answers to a URL that are in files alone; `then` gets those in memory, too.
  func read(
    _ url: String, beside inMemory: [StoredAnswer], then: @escaping @Sendable ([StoredAnswer]) -> Void
  ) {
    guard let disk else { return callbacks.call { then(inMemory) } }
    disk.enqueue(url) { [self] in
      // What another request has read meanwhile need not be read again.
      let inMemory = answers(for: url)
      let others = disk.answers(for: url, beside: inMemory).filter { answer in
        !inMemory.contains { $0.facts.selecting == answer.facts.selecting }
      }
      if !others.isEmpty { memory.withLock { memory in for answer in others { memory.insert(answer) } } }
      return { then(inMemory + others) }
    }
  }

  /// Stores an answer; in memory before it returns, and in a file before it calls `then`.
  func insert(_ answer: StoredAnswer, then: (@Sendable () -> Void)? = nil) {
    memory.withLock { $0.insert(answer) }
    guard let disk, !answer.isPersonal else {
      then?()
      return
    }
    disk.enqueue(answer.url) {
      disk.insert(answer)
      return then
    }
  }

  /// Forgets the answers to requests for a URL: the next request finds none.
  func forget(_ url: String) {
    let url = url.withoutFragment
    memory.withLock { $0.remove(url) }
    // Once more after the files, of which one may just have been read.
    disk?.forget(url) { [self] in memory.withLock { $0.remove(url) } }
  }
}

/// Why a folder cannot be used for a cache.
public struct HTTPCacheError: Error, Sendable, Hashable, LocalizedError {
  /// The folder.
  public let path: String
  /// What the system says.
  public let reason: String

  /// What is wrong, in one line.
  public var errorDescription: String? { "The folder \"\(path)\" cannot be used for a cache: \(reason)." }
}

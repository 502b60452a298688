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
  ///
  /// The files are removed before it returns, which takes as long as the disk does.
  public func removeAllCachedResponses() {
    memory.withLock { $0.removeAll() }
    guard let disk else { return }
    disk.forgetAndWait()
    // Once more, since a file may have been read before it was removed.
    memory.withLock { $0.removeAll() }
  }

  /// Forgets the answers to requests for a URL.
  ///
  /// Their files are removed before it returns, which takes as long as the disk does.
  public func removeCachedResponse(for url: String) {
    let url = url.withoutFragment
    memory.withLock { $0.forget(url) }
    guard let disk else { return }
    disk.forgetAndWait(url)
    // Once more, since a file may have been read before it was removed.
    memory.withLock { $0.forget(url) }
  }

  /// The most bytes that the body of an answer may have to be stored: a tenth of the larger capacity.
  var bodyLimit: Int { max(memoryCapacity, diskCapacity) / 10 }

  /// The answers to a URL that are in memory.
  func answers(for url: String) -> [StoredAnswer] { memory.withLock { $0.answers(for: url) } }

  /// Takes note that an answer in memory was given, whose file is not to be the oldest.
  func noteUse(of answer: StoredAnswer) { disk?.noteUse(of: answer.url) }

  /// Reads the answers to a URL that are in files alone; `then` gets those in memory, too.
  ///
  /// Files that take longer than a second count as none.
  ///
  /// - Returns: `false` if there are no such files; then `then` is not called.
  func read(
    _ url: String, beside inMemory: [StoredAnswer], then: @escaping @Sendable ([StoredAnswer]) -> Void
  ) -> Bool {
    guard let disk, disk.mayHave(url, beside: inMemory) else { return false }
    memory.withLock { memory in
      let removals = memory.removals
      let work: @Sendable () -> [StoredAnswer] = { [self] in
        // What another request has read meanwhile need not be read again.
        let known = answers(for: url)
        return merge(disk.answers(for: url, beside: known), with: known, url, removals)
      }
      disk.enqueue(url, work, late: { [self] in answers(for: url) }, then: then)
    }
    return true
  }

  /// Puts what was read into memory, unless it holds something newer or has been emptied since; returns both.
  private func merge(
    _ read: [StoredAnswer], with known: [StoredAnswer], _ url: String, _ removals: UInt64
  ) -> [StoredAnswer] {
    memory.withLock { memory in
      let current = memory.answers(for: url)
      let isNew = { (answer: StoredAnswer) in
        !current.contains { $0.facts.selecting == answer.facts.selecting }
      }
      let new = read.filter(isNew)
      if memory.removals == removals { for answer in new { memory.insert(answer, byAge: true) } }
      return current + known.filter(isNew) + new
    }
  }

  /// Stores an answer; in memory before it returns, and in a file before it calls `then`, for which that waits a second at most.
  func insert(_ answer: StoredAnswer, then: (@Sendable () -> Void)? = nil) {
    // Under one lock, so that files change in the order in which the memory does.
    let isWritten = memory.withLock { memory in
      memory.insert(answer)
      guard let disk, !answer.isPersonal else { return false }
      disk.enqueueInsertion(of: answer, then: then)
      return true
    }
    if !isWritten { then?() }
  }

  /// Forgets the answers to requests for a URL: the next request finds none.
  func forget(_ url: String) {
    let url = url.withoutFragment
    memory.withLock { memory in
      memory.forget(url)
      disk?.forget(url)
    }
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

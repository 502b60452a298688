public import Foundation
internal import Locking

/// Answers that may be used again, in memory and in the files of a folder; for a `CachingTransport`, or several.
///
/// What was used last is kept. Answers to requests with `Authorization`, or with a `Cookie` that the answer depends on, are
/// kept in memory alone. Files that are damaged are removed, and not used. May be used on any thread.
public final class HTTPCache: Sendable {
  private let memory: Lock<MemoryStore>
  private let disk: DiskStore?

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
      disk = try directory.map { try DiskStore(folder: $0, capacity: max(0, diskCapacity)) }
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
    memory.withLock { $0.removeAll() }
    disk?.removeAll()
  }

  /// Forgets the answers to requests for a URL.
  public func removeCachedResponse(for url: String) {
    memory.withLock { $0.remove(url.withoutFragment) }
    disk?.remove(url.withoutFragment)
  }

  /// The most bytes that the body of an answer may have to be stored: a tenth of the larger capacity.
  var bodyLimit: Int { max(memoryCapacity, diskCapacity) / 10 }

  func answers(for url: String) -> [StoredAnswer] {
    let inMemory = memory.withLock { $0.answers(for: url) }
    guard let disk else { return inMemory }
    let others = disk.answers(for: url).filter { answer in
      !inMemory.contains { $0.facts.selecting == answer.facts.selecting }
    }
    if !others.isEmpty { memory.withLock { memory in for answer in others { memory.insert(answer) } } }
    return inMemory + others
  }

  func insert(_ answer: StoredAnswer) {
    memory.withLock { $0.insert(answer) }
    if !answer.isPersonal { disk?.insert(answer) }
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

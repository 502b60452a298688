public import Foundation
internal import ReactiveNetworkLock

/// Responses that may be reused, in memory and in the files of a folder; for one `CachingTransport` or
/// several.
///
/// The most recently used responses are kept. A response is kept only in memory if its request had
/// `Authorization`, or a field that the response depends on (`Vary`) and that may be secret: any field but
/// those of content negotiation, such as `Accept-Language`, and `User-Agent`, `Origin` and `Host`. Damaged
/// files, and those of other users, are removed and not used. May be used on any thread.
public final class HTTPCache: Sendable {
  private let memory: Lock<MemoryCacheStore>
  private let disk: DiskCacheStore?
  /// The URLs whose responses are being revalidated for later requests.
  private let revalidations = Lock(Set<String>())
  /// Calls the handlers of responses from the cache.
  let callbacks = CallbackPool()

  /// Creates a cache.
  ///
  /// With a folder, it blocks until the caches of this process have written the files of all responses so far, for at
  /// most a second.
  ///
  /// - Parameters:
  ///   - memoryCapacity: the bytes of responses to keep in memory; 0 for none.
  ///   - diskCapacity: the bytes of responses to keep in files.
  ///   - directory: the folder of the files, which is created if it does not exist and must hold nothing
  ///     else; `nil` for no files. It must belong to this user; other users lose the permission to write to
  ///     it.
  /// - Throws: `HTTPCacheError` if the folder cannot be used.
  public init(
    memoryCapacity: Int = 4 << 20, diskCapacity: Int = 20 << 20, directory: URL? = nil
  ) throws(HTTPCacheError) {
    memory = Lock(MemoryCacheStore(capacity: max(0, memoryCapacity)))
    do {
      disk = try directory.map { [callbacks] folder in
        try DiskCacheStore(folder: folder, capacity: max(0, diskCapacity), callbacks: callbacks)
      }
    } catch let error as HTTPCacheError {
      throw error
    } catch {
      throw HTTPCacheError(path: directory?.path ?? "", reason: error.localizedDescription)
    }
  }

  /// The greatest number of bytes of responses in memory.
  public var memoryCapacity: Int { memory.withLock { $0.capacity } }
  /// The greatest number of bytes of responses in files; 0 without a folder.
  public var diskCapacity: Int { disk?.capacity ?? 0 }
  /// The approximate number of bytes of responses in memory now.
  public var currentMemoryUsage: Int { memory.withLock { $0.usage } }
  /// The number of bytes in the cache's files now.
  public var currentDiskUsage: Int { disk?.usage ?? 0 }

  /// Removes every response.
  ///
  /// Blocks until the files have been removed.
  public func removeAllCachedResponses() {
    memory.withLock { $0.removeAll() }
    guard let disk else { return }
    disk.removeResponsesAndWait()
    // Again, because a file may have been read before it was removed.
    memory.withLock { $0.removeAll() }
  }

  /// Removes the responses to requests for a URL.
  ///
  /// Blocks until their files have been removed.
  public func removeCachedResponse(for url: String) {
    var request = TransportRequest(url: url)
    _ = request.normalizeAndValidate()
    let url = request.url.cacheKey
    memory.withLock { $0.removeResponses(for: url) }
    guard let disk else { return }
    disk.removeResponsesAndWait(for: url)
    // Again, because a file may have been read before it was removed.
    memory.withLock { $0.removeResponses(for: url) }
  }

  /// Blocks until the files of all responses so far have been written or removed.
  package func waitForFiles() { disk?.waitForWork() }

  /// The greatest length in bytes of a body to store: a tenth of the larger capacity.
  var bodyLimit: Int { max(memoryCapacity, diskCapacity) / 10 }

  /// Returns the responses to a URL that are in memory.
  func responses(for url: String) -> [StoredResponse] { memory.withLock { $0.responses(for: url) } }

  /// Returns the number of removals for a URL; see `insert(_:after:updating:)`.
  func removals(for url: String) -> UInt64 { memory.withLock { $0.removals(for: url) } }

  /// Notes that the responses to a URL are being revalidated; returns `false` if they already are.
  func beginRevalidation(of url: String) -> Bool { revalidations.withLock { $0.insert(url).inserted } }

  func endRevalidation(of url: String) { _ = revalidations.withLock { $0.remove(url) } }

  /// Notes that a response from memory was used, so that its file does not become the oldest.
  func noteUse(of response: StoredResponse) { disk?.noteUse(of: response.url) }

  /// Reads the responses to a URL that are only in files; `then` receives them together with those in memory.
  ///
  /// Files that take longer than a second to read are ignored.
  ///
  /// - Returns: `false` if there are no such files; then `then` is not called.
  func read(
    _ url: String, otherThan inMemory: [StoredResponse], then: @escaping @Sendable ([StoredResponse]) -> Void
  ) -> Bool {
    guard let disk, disk.mayHave(url, otherThan: inMemory) else { return false }
    memory.withLock { memory in
      let removals = memory.removals(for: url)
      let work: @Sendable () -> [StoredResponse] = { [self] in
        // Responses that another request has read meanwhile need not be read again.
        let known = responses(for: url)
        return merge(disk.responses(for: url, otherThan: known), with: known, url, removals)
      }
      disk.enqueue(url, work, ifOverdue: { [self] in responses(for: url) }, then: then)
    }
    return true
  }

  /// Adds responses from files to memory, unless it has newer ones or has been cleared; returns both.
  private func merge(
    _ read: [StoredResponse], with known: [StoredResponse], _ url: String, _ removals: UInt64
  ) -> [StoredResponse] {
    memory.withLock { memory in
      let current = memory.responses(for: url)
      let isNew = { (response: StoredResponse) in
        !current.contains { $0.metadata.selecting == response.metadata.selecting }
      }
      let new = read.filter(isNew)
      if memory.removals(for: url) == removals {
        for response in new { memory.insert(response, byAge: true) }
      }
      return current + known.filter(isNew) + new
    }
  }

  /// Stores a response in memory, and also in a file if it is not personal.
  ///
  /// Stores nothing if responses to its URL have been removed since there had been `removals` of them: the
  /// response belongs to a request that was sent before a change on the server. Nor if it updates `old`, which
  /// another response has replaced meanwhile.
  func insert(_ response: StoredResponse, after removals: UInt64, updating old: StoredResponse? = nil) {
    let isPersonal = response.isPersonal
    // Under one lock, so that files change in the same order as the memory.
    memory.withLock { memory in
      guard memory.removals(for: response.url) == removals,
        !hasReplaced(old, in: memory)
      else { return }
      memory.insert(response)
      if !isPersonal { disk?.enqueueInsertion(of: response) }
    }
  }

  /// Removes the responses to requests for a URL: the next request finds none.
  ///
  /// Removes nothing if that is because of `old`, which another response has replaced meanwhile.
  func removeResponses(for url: String, becauseOf old: StoredResponse? = nil) {
    let url = url.cacheKey
    memory.withLock { memory in
      if hasReplaced(old, in: memory) { return }
      memory.removeResponses(for: url)
      disk?.removeResponses(for: url)
    }
  }

  private func hasReplaced(_ old: StoredResponse?, in memory: MemoryCacheStore) -> Bool {
    old.map { memory.hasReplaced($0) || disk?.hasReplaced($0) == true } ?? false
  }
}

/// The reason why a folder cannot be used for a cache.
public struct HTTPCacheError: Error, Sendable, Hashable, LocalizedError {
  /// The path of the folder.
  public let path: String
  /// The system's error message.
  public let reason: String

  /// A description of the error in one line.
  public var errorDescription: String? { "The folder \"\(path)\" cannot be used for a cache: \(reason)." }
}

internal import Foundation
internal import ReactiveNetworkLock

/// The most recently used responses, in files of one folder; they outlive the process.
///
/// Work on the files of one URL runs in the order of the calls, and concurrently with that of other URLs (see
/// `BlockingWorkPool`). Sizes and dates of the files are read once; a file that has been removed since then, or
/// is incomplete, is ignored. Several processes may use one folder: each sees the removals of the others,
/// but not for what it has in memory, and the files that they add only after its own next start.
final class DiskCacheStore: Sendable {
  let capacity: Int
  /// The absolute path of the folder.
  private let folder: String
  private let index = Lock(DiskCacheIndex())
  private let work = BlockingWorkPool()
  private let callbacks: CallbackPool

  /// Opens a folder; creates it, for this user only, if it does not exist.
  ///
  /// `callbacks` calls the completion handlers of work on files.
  init(folder: URL, capacity: Int, callbacks: CallbackPool) throws {
    self.callbacks = callbacks
    // Absolute, so that a later `chdir` does not matter.
    let folder = URL(fileURLWithPath: folder.path, isDirectory: true).absoluteURL
    self.folder = folder.path
    self.capacity = capacity
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Self.protect(folder.path)
    // Another cache may be about to write responses that its callers have already received.
    PendingFileWork.wait()
    let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey]
    let found = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: Array(keys)
    ).map { url in (url, try? url.resourceValues(forKeys: keys)) }
    let dated = found.sorted {
      ($0.1?.contentModificationDate ?? .distantPast) < ($1.1?.contentModificationDate ?? .distantPast)
    }
    for (url, values) in dated {
      if url.pathExtension == Self.fileExtension {
        index.withLock { $0.use(url.lastPathComponent, size: values?.fileSize ?? 0) }
      } else if url.pathExtension == Self.partExtension
        || url.lastPathComponent.hasPrefix(Self.earlierPartPrefix),
        values?.contentModificationDate ?? .distantPast < Self.anHourAgo
      {
        // The file of a process that ended while it was writing.
        remove(file: url.lastPathComponent)
      }
    }
    shrink()
  }

  var usage: Int { index.withLock { $0.usage } }

  /// Whether there are, or may soon be, files with responses to a URL other than the known ones; reads no
  /// files.
  func mayHave(_ url: String, otherThan known: [StoredResponse]) -> Bool {
    let key = Self.digest(url)
    // Checked first: work that ends between the two checks is in the index by the second.
    if work.isBusy(key) { return true }
    let names = index.withLock { $0.names[key] ?? [] }
    return !names.isEmpty && !names.isSubset(of: known.map(Self.name))
  }

  /// Whether another response has taken the place of one that was stored.
  func hasReplaced(_ response: StoredResponse) -> Bool {
    let latest = index.withLock { $0.latest[Self.name(response)] }
    return latest.map { $0.hashValue != response.metadata.hashValue } ?? false
  }

  /// Marks the files of a URL as used, because their responses were delivered from memory.
  func noteUse(of url: String) {
    let key = Self.digest(url)
    index.withLock { index in
      guard let names = index.names[key] else { return }
      index.uses += 1
      for name in names { index.files[name]?.lastUse = index.uses }
    }
  }

  /// Runs work on the files of a URL, after all earlier work for it; see `BlockingWorkPool`.
  func enqueue<Result: Sendable>(
    _ url: String, _ work: @escaping @Sendable () -> Result, ifOverdue: @escaping @Sendable () -> Result,
    then: @escaping @Sendable (Result) -> Void
  ) {
    self.work.enqueue(Self.digest(url), work, ifOverdue: ifOverdue, on: callbacks, then: then)
  }

  /// Writes a response.
  ///
  /// If the disk is so slow that more bytes than the capacity of the folder wait to be written, further
  /// responses are not written.
  func enqueueInsertion(of response: StoredResponse) {
    let (name, cost) = (Self.name(response), response.cost)
    let isWritten = index.withLock { index in
      index.beginWriting(name, response)
      guard index.unwritten == 0 || index.unwritten + cost <= capacity else { return false }
      index.unwritten += cost
      return true
    }
    // A response that is not written does not wait in memory either.
    let written = isWritten ? response : nil
    enqueueChange(of: response.url) { [self] in
      if let written { insert(written) } else { discard(name) }
      index.withLock { index in
        if written != nil { index.unwritten -= cost }
        index.endWriting(name)
      }
    }
  }

  /// Runs work that changes the files of a URL, for which an exiting process waits: the next one must neither miss a
  /// new response nor find an old one.
  private func enqueueChange(of url: String, _ change: @escaping @Sendable () -> Void) {
    PendingFileWork.begin()
    work.enqueue(Self.digest(url)) {
      change()
      PendingFileWork.end()
    }
  }

  /// Waits until all work that has been enqueued is done.
  func waitForWork() { work.perform(work.busyKeys) { _ in } }

  /// Removes the responses to a URL, at once or as soon as they have been written.
  func removeResponses(for url: String) {
    guard mayHave(url, otherThan: []) else { return }
    enqueueChange(of: url) { [self] in
      for name in names(for: url) { discard(name) }
    }
  }

  /// Removes the responses to a URL, or to every URL, before it returns.
  func removeResponsesAndWait(for url: String? = nil) {
    let busy = work.busyKeys
    let keys = url.map { [Self.digest($0)] } ?? index.withLock { Set($0.names.keys) }.union(busy)
    work.perform(keys) { [self] key in
      for name in index.withLock({ $0.names[key] ?? [] }) { discard(name) }
    }
  }
}

// Called within the work that has been enqueued for the URL.
extension DiskCacheStore {
  /// Reads the responses to a URL, except for the known ones.
  func responses(for url: String, otherThan known: [StoredResponse]) -> [StoredResponse] {
    names(for: url).subtracting(known.map(Self.name)).compactMap { name in
      let data: Data
      do throws(SystemCallError) {
        data = try PrivateFile.read(path(name), limit: capacity, mayOthersWrite: false)
      } catch {
        // After other errors it may be readable later, for example when fewer files are open.
        if [ENOENT, ELOOP, EPERM, EFBIG].contains(error.code) { discard(name) }
        return nil
      }
      guard let response = CacheFileFormat.response(data) else {
        discard(name)
        return nil
      }
      // Another URL may have the same digest.
      guard response.url == url else { return nil }
      index.withLock { index in
        index.use(name, size: data.count)
        index.noteRead(name, response)
      }
      return response
    }
  }

  /// Writes a response; if that fails, it is not stored.
  func insert(_ response: StoredResponse) {
    let name = Self.name(response)
    guard let data = try? CacheFileFormat.bytes(response), data.count <= capacity else {
      return discard(name)
    }
    // The checksum detects damage by a power failure.
    let part = "\(name)-\(UUID().uuidString).\(Self.partExtension)"
    do {
      try PrivateFile.replace(at: path(name), with: data, through: path(part))
    } catch {
      return discard(name)
    }
    index.withLock { $0.use(name, size: data.count) }
    shrink()
  }

  /// Ensures that no other user can put files into the folder, which the cache would use as responses.
  private static func protect(_ folder: String) throws {
    var facts = stat()
    guard stat(folder, &facts) == 0 else { throw HTTPCacheError(path: folder, reason: .lastSystemError) }
    guard facts.st_uid == geteuid() else {
      throw HTTPCacheError(path: folder, reason: "it belongs to another user")
    }
    let others = mode_t(S_IWGRP | S_IWOTH)
    guard facts.st_mode & others == 0 || chmod(folder, facts.st_mode & 0o7777 & ~others) == 0 else {
      throw HTTPCacheError(path: folder, reason: .lastSystemError)
    }
  }

  private func names(for url: String) -> Set<String> {
    let key = Self.digest(url)
    return index.withLock { $0.names[key] ?? [] }
  }

  private func discard(_ name: String) {
    index.withLock { index in
      index.remove(name)
      index.forgetLatest(name)
    }
    remove(file: name)
  }

  private func shrink() {
    // Sorted outside the lock, which every request takes.
    let (files, found) = index.withLock { $0.usage > capacity ? ($0.files, $0.usage) : ([:], 0) }
    var usage = found
    for (name, file) in files.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
      // The newest one may take more.
      guard usage > capacity / 10 * 9, usage > min(file.size, capacity) else { break }
      usage -= file.size
      discard(name)
    }
  }

  private func remove(file name: String) {
    unlink(path(name))
  }

  // Not with `appendingPathComponent`, which queries the file system.
  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  private static let fileExtension = "answer"
  private static let partExtension = "part"
  /// The prefix of Foundation's temporary files, which earlier versions left behind.
  private static let earlierPartPrefix = ".dat.nosync"
  private static var anHourAgo: Date { Date(timeIntervalSinceNow: -3_600) }

  /// Returns the name of a response's file: the digests of its URL and of the request fields that select it.
  private static func name(_ response: StoredResponse) -> String {
    let selecting = response.metadata.selecting.map { "\($0.name):\($0.value ?? "\n")" }.joined(
      separator: "\n")
    return "\(digest(response.url).hexDigits)-\(digest(selecting).hexDigits).\(fileExtension)"
  }

  private static func digest(_ text: String) -> UInt64 { FNV1a.hash(text.utf8) }
}

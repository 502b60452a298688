internal import Foundation
internal import Locking

/// Answers in files of one folder, those that were used last; they outlive the process.
///
/// What is to be done with the files of one URL is done in the order in which it is asked for, and beside that of others (see
/// `KeyedWork`). Sums and dates of files are read once; a file that has gone since, or is not whole, is none. Several processes may use
/// one folder: each sees what the others have removed, and what they have added only after its own start.
final class DiskStore: Sendable {
  private struct Index {
    struct File {
      var size: Int
      var lastUse: UInt64
    }

    var files: [String: File] = [:]
    /// By the digest of their URL.
    var names: [UInt64: Set<String>] = [:]
    var usage = 0
    var uses: UInt64 = 0
    /// The bytes of the answers that are yet to be written, about.
    var unwritten = 0

    mutating func remove(_ name: String) {
      guard let file = files.removeValue(forKey: name) else { return }
      usage -= file.size
      let key = DiskStore.key(name)
      names[key]?.remove(name)
      if names[key]?.isEmpty == true { names[key] = nil }
    }

    mutating func use(_ name: String, size: Int) {
      remove(name)
      uses += 1
      files[name] = File(size: size, lastUse: uses)
      names[DiskStore.key(name), default: []].insert(name)
      usage += size
    }
  }

  let capacity: Int
  /// The path of the folder, from the root.
  private let folder: String
  private let index = Lock(Index())
  private let work: KeyedWork

  /// Opens a folder, which is made where it is missing, for this user alone.
  ///
  /// What waits for files is called by `callbacks`.
  init(folder: URL, capacity: Int, callbacks: CallbackPool) throws {
    work = KeyedWork(callbacks: callbacks)
    // From the root, so that a later `chdir` does not matter.
    let folder = URL(fileURLWithPath: folder.path, isDirectory: true).absoluteURL
    self.folder = folder.path
    self.capacity = capacity
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
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
        // Left behind by a process that ended while it wrote.
        remove(file: url.lastPathComponent)
      }
    }
    shrink()
  }

  var usage: Int { index.withLock { $0.usage } }

  /// Whether there are files with answers to a URL beside those that are known, or may soon be; reads none.
  func mayHave(_ url: String, beside known: [StoredAnswer]) -> Bool {
    let key = Self.digest(url)
    // Looked at first: what ends between the two is in the index then.
    if work.isBusy(key) { return true }
    let names = index.withLock { $0.names[key] ?? [] }
    return !names.isEmpty && !names.isSubset(of: known.map(Self.name))
  }

  /// Counts the files of a URL as used, since what is in them was given.
  func noteUse(of url: String) {
    let key = Self.digest(url)
    index.withLock { index in
      guard let names = index.names[key] else { return }
      index.uses += 1
      for name in names { index.files[name]?.lastUse = index.uses }
    }
  }

  /// Does something with the files of a URL, after all that has been asked for before; see `KeyedWork`.
  func enqueue<Result: Sendable>(
    _ url: String, _ work: @escaping @Sendable () -> Result, late: @escaping @Sendable () -> Result,
    then: @escaping @Sendable (Result) -> Void
  ) {
    self.work.enqueue(Self.digest(url), work, late: late, then: then)
  }

  /// Writes an answer, and calls `then`, after a second at the latest.
  ///
  /// While the disk is so slow that more waits to be written than the folder may hold, further answers are not written.
  func enqueueInsertion(of answer: StoredAnswer, then: (@Sendable () -> Void)?) {
    let cost = answer.cost
    let isWritten = index.withLock { index in
      guard index.unwritten == 0 || index.unwritten + cost <= capacity else { return false }
      index.unwritten += cost
      return true
    }
    let key = Self.digest(answer.url)
    let work: @Sendable () -> Void
    if isWritten {
      work = { [self] in
        insert(answer)
        index.withLock { $0.unwritten -= cost }
      }
    } else {
      let name = Self.name(answer)
      work = { [self] in discard(name) }
    }
    guard let then else { return self.work.enqueue(key, work) }
    self.work.enqueue(key, work, late: {}, then: then)
  }

  /// Forgets the answers to a URL, now or as soon as they have been written.
  func forget(_ url: String) {
    guard mayHave(url, beside: []) else { return }
    work.enqueue(Self.digest(url)) { [self] in
      for name in names(for: url) { discard(name) }
    }
  }

  /// Forgets the answers to a URL, or to every URL, before it returns.
  func forgetAndWait(_ url: String? = nil) {
    let busy = work.busyKeys
    let keys = url.map { [Self.digest($0)] } ?? index.withLock { Set($0.names.keys) }.union(busy)
    work.perform(keys) { [self] key in
      for name in index.withLock({ $0.names[key] ?? [] }) { discard(name) }
    }
  }
}

// Within the work that has been enqueued for the URL.
extension DiskStore {
  /// Reads the answers to a URL, but for those that are known.
  func answers(for url: String, beside known: [StoredAnswer]) -> [StoredAnswer] {
    names(for: url).subtracting(known.map(Self.name)).compactMap { name in
      let data: Data
      do {
        data = try Data(contentsOf: URL(fileURLWithPath: path(name), isDirectory: false))
      } catch {
        // What cannot be read for now, say because too many files are open, may be read later.
        if (error as? CocoaError)?.code == .fileReadNoSuchFile { discard(name) }
        return nil
      }
      guard let answer = CacheFile.answer(data) else {
        discard(name)
        return nil
      }
      // Another URL may have the same digest.
      guard answer.url == url else { return nil }
      index.withLock { $0.use(name, size: data.count) }
      return answer
    }
  }

  /// Writes an answer; where that fails, it is not stored.
  func insert(_ answer: StoredAnswer) {
    let name = Self.name(answer)
    guard let data = try? CacheFile.bytes(answer), data.count <= capacity else { return discard(name) }
    // A file appears only when it is whole. Nothing waits until it is on the disk: its sum shows what a loss of power has left of it.
    let part = "\(name)-\(UUID().uuidString).\(Self.partExtension)"
    guard (try? PrivateFile.create(at: path(part), containing: data)) != nil,
      rename(path(part), path(name)) == 0
    else {
      remove(file: part)
      return discard(name)
    }
    index.withLock { $0.use(name, size: data.count) }
    shrink()
  }

  private func names(for url: String) -> Set<String> {
    let key = Self.digest(url)
    return index.withLock { $0.names[key] ?? [] }
  }

  private func discard(_ name: String) {
    index.withLock { $0.remove(name) }
    remove(file: name)
  }

  private func shrink() {
    // Sorted outside the lock, which every request takes.
    let (files, found) = index.withLock { $0.usage > capacity ? ($0.files, $0.usage) : ([:], 0) }
    var usage = found
    for (name, file) in files.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
      guard usage > capacity / 10 * 9 else { break }
      usage -= file.size
      discard(name)
    }
  }

  private func remove(file name: String) {
    unlink(path(name))
  }

  // Not with `appendingPathComponent`, which asks the file system what is there.
  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  private static let fileExtension = "answer"
  private static let partExtension = "part"
  /// The prefix of Foundation's temporary files, which earlier versions left behind.
  private static let earlierPartPrefix = ".dat.nosync"
  private static var anHourAgo: Date { Date(timeIntervalSinceNow: -3_600) }

  /// The name of the file of an answer: the digests of its URL and of what it depends on.
  private static func name(_ answer: StoredAnswer) -> String {
    let selecting = answer.facts.selecting.map { "\($0.name):\($0.value ?? "\n")" }.joined(separator: "\n")
    return "\(hexadecimal(digest(answer.url)))-\(hexadecimal(digest(selecting))).\(fileExtension)"
  }

  /// The digest of the URL that a file's name begins with.
  private static func key(_ name: String) -> UInt64 { UInt64(name.prefix(16), radix: 16) ?? 0 }

  private static func digest(_ text: String) -> UInt64 { CacheFile.digest([Data(text.utf8)]) }

  private static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

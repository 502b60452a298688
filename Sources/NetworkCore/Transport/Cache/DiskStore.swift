internal import Foundation
internal import Locking

/// Answers in files of one folder, those that were used last; they outlive the process.
///
/// Sums and dates of files are read once; a file that has gone since, or is not whole, is none. Several processes may use
/// one folder: each sees what the others have removed, and what they have added only after its own start.
final class DiskStore: Sendable {
  private struct Index {
    struct File {
      var size: Int
      var lastUse: UInt64
    }

    var files: [String: File] = [:]
    var usage = 0
    var uses: UInt64 = 0

    mutating func remove(_ name: String) {
      if let file = files.removeValue(forKey: name) { usage -= file.size }
    }

    mutating func use(_ name: String, size: Int) {
      remove(name)
      uses += 1
      files[name] = File(size: size, lastUse: uses)
      usage += size
    }
  }

  let capacity: Int
  private let folder: URL
  private let index = Lock(Index())

  /// Opens a folder, which is made where it is missing, for this user alone.
  init(folder: URL, capacity: Int) throws {
    // From the root, so that a later `chdir` does not matter.
    self.folder = URL(fileURLWithPath: folder.path, isDirectory: true).absoluteURL
    self.capacity = capacity
    try FileManager.default.createDirectory(
      at: self.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey]
    let found = try FileManager.default.contentsOfDirectory(
      at: self.folder, includingPropertiesForKeys: Array(keys)
    ).map { url in (url, try? url.resourceValues(forKeys: keys)) }
    let dated = found.sorted {
      ($0.1?.contentModificationDate ?? .distantPast) < ($1.1?.contentModificationDate ?? .distantPast)
    }
    for (url, values) in dated {
      if url.pathExtension == Self.fileExtension {
        index.withLock { $0.use(url.lastPathComponent, size: values?.fileSize ?? 0) }
      } else if url.pathExtension == Self.partExtension,
        values?.contentModificationDate ?? .distantPast < Self.anHourAgo
      {
        // Left behind by a process that ended while it wrote.
        remove(file: url.lastPathComponent)
      }
    }
    shrink()
  }

  var usage: Int { index.withLock { $0.usage } }

  func answers(for url: String) -> [StoredAnswer] {
    names(for: url).compactMap { name in
      guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)),
        let answer = CacheFile.answer(data)
      else {
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
    let selecting = answer.facts.selecting.map { "\($0.name):\($0.value ?? "\n")" }.joined(separator: "\n")
    let name = "\(Self.prefix(answer.url))\(Self.hexadecimal(selecting)).\(Self.fileExtension)"
    guard let data = try? CacheFile.bytes(answer), data.count <= capacity else { return discard(name) }
    // A file appears only when it is whole.
    let part = "\(name)-\(UUID().uuidString).\(Self.partExtension)"
    guard
      FileManager.default.createFile(
        atPath: path(part), contents: data, attributes: [.posixPermissions: 0o600]),
      rename(path(part), path(name)) == 0
    else {
      remove(file: part)
      return discard(name)
    }
    index.withLock { $0.use(name, size: data.count) }
    shrink()
  }

  func remove(_ url: String) {
    for name in names(for: url) { discard(name) }
  }

  func removeAll() {
    for name in index.withLock({ Array($0.files.keys) }) { discard(name) }
  }

  private func names(for url: String) -> [String] {
    let prefix = Self.prefix(url)
    return index.withLock { index in index.files.keys.filter { $0.hasPrefix(prefix) } }
  }

  private func discard(_ name: String) {
    index.withLock { $0.remove(name) }
    remove(file: name)
  }

  private func shrink() {
    let spent = index.withLock { index in
      guard index.usage > capacity else { return [String]() }
      var usage = index.usage
      let oldest = index.files.sorted { $0.value.lastUse < $1.value.lastUse }
      return oldest.prefix { file in
        defer { usage -= file.value.size }
        return usage > capacity / 10 * 9
      }.map(\.key)
    }
    for name in spent { discard(name) }
  }

  private func remove(file name: String) {
    unlink(path(name))
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private static let fileExtension = "answer"
  private static let partExtension = "part"
  private static var anHourAgo: Date { Date(timeIntervalSinceNow: -3_600) }

  private static func prefix(_ url: String) -> String { hexadecimal(url) + "-" }

  private static func hexadecimal(_ text: String) -> String {
    let digits = String(CacheFile.digest([Data(text.utf8)]), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

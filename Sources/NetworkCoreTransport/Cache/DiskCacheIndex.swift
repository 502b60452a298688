/// What a `DiskCacheStore` knows about its files without reading them.
struct DiskCacheIndex {
  struct File {
    var size: Int
    var lastUse: UInt64
  }

  /// The response that a file will contain once all that waits has been written.
  struct Latest {
    var hashValue: Int
    /// The number of responses for the file that have not been written yet.
    var unwritten = 0
  }

  var files: [String: File] = [:]
  /// File names by the digest of their URL.
  var names: [UInt64: Set<String>] = [:]
  /// By file name; none for files that have not been read.
  var latest: [String: Latest] = [:]
  var usage = 0
  var uses: UInt64 = 0
  /// The approximate size in bytes of the responses that have not been written yet.
  var unwritten = 0

  mutating func remove(_ name: String) {
    guard let file = files.removeValue(forKey: name) else { return }
    usage -= file.size
    let key = Self.key(name)
    names[key]?.remove(name)
    if names[key]?.isEmpty == true { names[key] = nil }
  }

  mutating func use(_ name: String, size: Int) {
    remove(name)
    uses += 1
    files[name] = File(size: size, lastUse: uses)
    names[Self.key(name), default: []].insert(name)
    usage += size
  }

  mutating func beginWriting(_ name: String, _ response: StoredResponse) {
    let unwritten = latest[name]?.unwritten ?? 0
    latest[name] = Latest(hashValue: response.metadata.hashValue, unwritten: unwritten + 1)
  }

  mutating func endWriting(_ name: String) {
    latest[name]?.unwritten -= 1
    forgetLatest(name)
  }

  /// Notes what a file contains, unless that will be replaced.
  mutating func noteRead(_ name: String, _ response: StoredResponse) {
    guard latest[name]?.unwritten ?? 0 == 0 else { return }
    latest[name] = Latest(hashValue: response.metadata.hashValue)
  }

  /// Forgets the response of a file that has been removed, unless another is to be written.
  mutating func forgetLatest(_ name: String) {
    if files[name] == nil, latest[name]?.unwritten == 0 { latest[name] = nil }
  }

  /// Returns the digest of the URL, with which a file's name begins.
  private static func key(_ name: String) -> UInt64 { UInt64(name.prefix(16), radix: 16) ?? 0 }
}

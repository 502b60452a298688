/// The most recently used responses in memory; a value behind the lock of an `HTTPCache`.
struct MemoryCacheStore {
  private struct Entry {
    var responses: [StoredResponse]
    var cost: Int
    var lastUse: UInt64
  }

  /// The maximum number of responses to one URL; they differ by fields of the request.
  static let variantLimit = 8

  let capacity: Int
  private(set) var usage = 0
  private var removals = RemovalCounts()
  private var entries: [String: Entry] = [:]
  private var uses: UInt64 = 0

  init(capacity: Int) {
    self.capacity = capacity
  }

  mutating func responses(for url: String) -> [StoredResponse] {
    guard let entry = entries[url] else { return [] }
    uses += 1
    entries[url]?.lastUse = uses
    return entry.responses
  }

  /// Whether another response has taken the place of one that was stored.
  func hasReplaced(_ response: StoredResponse) -> Bool {
    entries[response.url]?.responses.contains {
      $0.metadata.selecting == response.metadata.selecting && $0.metadata != response.metadata
    } == true
  }

  /// Inserts a response; it replaces the response to an equal request.
  ///
  /// A response that exceeds the capacity is not kept; the oldest responses to its URL make room for newer ones.
  ///
  /// - Parameters:
  ///   - response: the response.
  ///   - byAge: whether to insert it in the order of its age; otherwise it is the newest.
  mutating func insert(_ response: StoredResponse, byAge: Bool = false) {
    var responses = entries[response.url]?.responses ?? []
    responses.removeAll { $0.metadata.selecting == response.metadata.selecting }
    remove(response.url)
    let newer =
      byAge ? responses.firstIndex { $0.metadata.responseTime > response.metadata.responseTime } : nil
    if response.cost <= capacity { responses.insert(response, at: newer ?? responses.endIndex) }
    responses = responses.suffix(Self.variantLimit)
    var cost = responses.reduce(0) { $0 + $1.cost }
    // The oldest make room for the newer ones.
    while cost > capacity { cost -= responses.removeFirst().cost }
    guard !responses.isEmpty else { return }
    uses += 1
    entries[response.url] = Entry(responses: responses, cost: cost, lastUse: uses)
    usage += cost
    if usage > capacity { shrink() }
  }

  /// The number of removals for a URL.
  ///
  /// A response that was requested, or read, before the last one must not be inserted after it.
  func removals(for url: String) -> UInt64 { removals.count(for: url) }

  mutating func removeResponses(for url: String) {
    removals.add(for: url)
    remove(url)
  }

  mutating func removeAll() {
    removals.addForAll()
    entries = [:]
    usage = 0
  }

  private mutating func remove(_ url: String) {
    if let entry = entries.removeValue(forKey: url) { usage -= entry.cost }
  }

  /// Reduces the usage to nine tenths at once, so that not every insertion inspects all responses.
  ///
  /// The newest ones, which have just been inserted, may take more.
  private mutating func shrink() {
    for (url, _) in entries.map({ ($0.key, $0.value.lastUse) }).sorted(by: { $0.1 < $1.1 }).dropLast() {
      guard usage > capacity / 10 * 9 else { return }
      remove(url)
    }
  }
}

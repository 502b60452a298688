/// Answers in memory, those that were used last; a value behind the lock of an `HTTPCache`.
struct MemoryStore {
  private struct Entry {
    var answers: [StoredAnswer]
    var cost: Int
    var lastUse: UInt64
  }

  /// More answers than this to one URL, which depend on fields of the request, are not kept.
  static let variantLimit = 8

  let capacity: Int
  private(set) var usage = 0
  /// How often anything was forgotten: what was read before is not to be inserted after it.
  private(set) var removals: UInt64 = 0
  private var entries: [String: Entry] = [:]
  private var uses: UInt64 = 0

  init(capacity: Int) {
    self.capacity = capacity
  }

  mutating func answers(for url: String) -> [StoredAnswer] {
    guard let entry = entries[url] else { return [] }
    uses += 1
    entries[url]?.lastUse = uses
    return entry.answers
  }

  /// Puts an answer in the place of one to an equal request.
  ///
  /// - Parameters:
  ///   - answer: the answer.
  ///   - byAge: whether it is older than those that came later; otherwise it is the newest.
  mutating func insert(_ answer: StoredAnswer, byAge: Bool = false) {
    var answers = entries[answer.url]?.answers ?? []
    answers.removeAll { $0.facts.selecting == answer.facts.selecting }
    remove(answer.url)
    let newer = byAge ? answers.firstIndex { $0.facts.responseTime > answer.facts.responseTime } : nil
    answers.insert(answer, at: newer ?? answers.endIndex)
    answers = answers.suffix(Self.variantLimit)
    let cost = answers.reduce(0) { $0 + $1.cost }
    guard cost <= capacity else { return }
    uses += 1
    entries[answer.url] = Entry(answers: answers, cost: cost, lastUse: uses)
    usage += cost
    if usage > capacity { shrink() }
  }

  mutating func forget(_ url: String) {
    removals += 1
    remove(url)
  }

  mutating func removeAll() {
    removals += 1
    entries = [:]
    usage = 0
  }

  private mutating func remove(_ url: String) {
    if let entry = entries.removeValue(forKey: url) { usage -= entry.cost }
  }

  /// Down to nine tenths at once, so that not every answer has all others looked at.
  private mutating func shrink() {
    for (url, _) in entries.map({ ($0.key, $0.value.lastUse) }).sorted(by: { $0.1 < $1.1 }) {
      guard usage > capacity / 10 * 9 else { return }
      remove(url)
    }
  }
}

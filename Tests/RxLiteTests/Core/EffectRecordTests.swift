import RxLite
import Testing

@Suite("The effects of a subscription")
struct EffectRecordTests {
  private struct Weak {
    weak var record: EffectRecord?
  }

  @Test("the effects of joined sequences are kept apart, and arrive later too")
  func joined() {
    let (record, first, second) = (EffectRecord(), EffectRecord(), EffectRecord())
    record.insert("own")
    first.insert("before")
    record.join(first)
    first.join(second)
    second.join(first)
    second.insert("after")
    #expect(record.own == ["own"])
    #expect(record.shared == ["before", "after"])
    record.beginAttempt()
    #expect(record.own.isEmpty)
    #expect(record.shared == ["before", "after"])
  }

  @Test("the records of sequences that have ended are released, with their effects kept")
  func released() {
    let (record, running) = (EffectRecord(), EffectRecord())
    record.join(running)
    var all: [Weak] = []
    for number in 0..<1_000 {
      let (joined, inner) = (EffectRecord(), EffectRecord())
      joined.insert("\(number)")
      inner.insert("inner \(number)")
      joined.join(inner)
      record.join(joined)
      all += [Weak(record: joined), Weak(record: inner)]
    }
    #expect(all.count { $0.record != nil } < 50)
    running.insert("running")
    let expected = ["running"] + (0..<1_000).flatMap { ["\($0)", "inner \($0)"] }
    #expect(record.shared == Set(expected))
  }
}

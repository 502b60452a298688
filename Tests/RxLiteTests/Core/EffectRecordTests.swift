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
    #expect(record.insert("own"))
    #expect(first.insert("before"))
    record.join(first)
    first.join(second)
    second.join(first)
    #expect(second.insert("after"))
    #expect(record.own == ["own"])
    #expect(record.shared == ["before", "after"])
  }

  @Test("the effects of an attempt that has ended count as shared for the next one, and none follows")
  func nextAttempt() {
    let (record, joined) = (EffectRecord(), EffectRecord())
    #expect(record.insert("own"))
    record.join(joined)
    record.close()
    #expect(!record.insert("late"))
    #expect(record.own == ["own"])
    let next = EffectRecord(after: record)
    #expect(joined.insert("joined"))
    #expect(next.own.isEmpty)
    #expect(next.shared == ["own", "joined"])
    #expect(next.insert("next"))
    #expect(next.own == ["next"])
  }

  @Test("the effects of all earlier attempts count as shared")
  func laterAttempts() {
    var record = EffectRecord()
    for number in 1...3 {
      #expect(record.insert("\(number)"))
      record.close()
      record = EffectRecord(after: record)
    }
    #expect(record.own.isEmpty)
    #expect(record.shared == ["1", "2", "3"])
  }

  @Test("the effects that an ended sequence has taken over from another one are kept, whatever is released")
  func takenOver() {
    func endedSequence(_ effect: String) -> EffectRecord {
      let (sequence, joined) = (EffectRecord(), EffectRecord())
      #expect(joined.insert(effect))
      sequence.join(joined)
      joined.close()
      sequence.close()
      return sequence
    }
    let (record, sequence) = (EffectRecord(), endedSequence("one"))
    record.join(sequence)
    #expect(record.shared == ["one"])
    record.close()
    #expect(record.shared == ["one"])
    let other = EffectRecord()
    for number in 0..<20 { other.join(endedSequence("\(number)")) }
    #expect(other.shared == Set((0..<20).map { "\($0)" }))
    withExtendedLifetime(sequence) {}
  }

  @Test("an effect that was withdrawn counts for its own attempt, and not for the next one")
  func withdrawn() {
    let record = EffectRecord()
    #expect(record.isEmpty)
    #expect(record.insert("own"))
    record.withdraw("own")
    #expect(record.own.isEmpty && !record.isEmpty)
    let next = EffectRecord(after: record)
    #expect(next.isEmpty && next.shared.isEmpty)
  }

  @Test("the later effects of a sequence arrive although a sequence that has joined it has ended")
  func joinedByEnded() {
    let (record, ended, running) = (EffectRecord(), EffectRecord(), EffectRecord())
    ended.join(running)
    record.join(ended)
    ended.close()
    record.close()
    #expect(running.insert("late"))
    #expect(record.shared == ["late"])
  }

  @Test("the own effects of a sequence that joins itself through another one do not count as shared")
  func joinedThroughAnother() {
    let (first, second) = (EffectRecord(), EffectRecord())
    first.join(second)
    second.join(first)
    #expect(first.insert("first") && second.insert("second"))
    #expect(first.shared == ["second"])
    // Breaks the cycle.
    first.close()
    second.close()
  }

  @Test("the record of a sequence that joins itself is released")
  func joinedByItself() {
    weak var released: EffectRecord?
    do {
      let record = EffectRecord()
      released = record
      record.join(record)
      #expect(record.insert("own"))
    }
    #expect(released == nil)
  }

  @Test("the records of sequences that have ended are released, with their effects kept")
  func released() {
    let (record, running) = (EffectRecord(), EffectRecord())
    record.join(running)
    var all: [Weak] = []
    for number in 0..<1_000 {
      let (joined, inner) = (EffectRecord(), EffectRecord())
      #expect(joined.insert("\(number)"))
      #expect(inner.insert("inner \(number)"))
      joined.join(inner)
      record.join(joined)
      all += [Weak(record: joined), Weak(record: inner)]
    }
    #expect(all.count { $0.record != nil } < 50)
    #expect(running.insert("running"))
    let expected = ["running"] + (0..<1_000).flatMap { ["\($0)", "inner \($0)"] }
    #expect(record.shared == Set(expected))
  }

  @Test("the records of sequences that have joined each other are released when they have ended")
  func releasedCycle() {
    let subscription = EffectRecord()
    var all: [Weak] = []
    do {
      let cycle = (0..<3).map { _ in EffectRecord() }
      for (number, record) in cycle.enumerated() {
        #expect(record.insert("\(number)"))
        record.join(cycle[(number + 1) % cycle.count])
      }
      all = cycle.map { Weak(record: $0) }
      subscription.join(cycle[0])
      for record in cycle { record.close() }
    }
    #expect(subscription.shared == ["0", "1", "2"])
    subscription.close()
    #expect(subscription.shared == ["0", "1", "2"])
    #expect(all.allSatisfy { $0.record == nil })
  }
}

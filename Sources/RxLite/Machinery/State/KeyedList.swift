/// A list whose members are removed by key; adding and removing one takes amortized constant time, apart from
/// a binary search.
///
/// A removed member leaves an empty slot, and empty slots are removed once they make up half of the list. So
/// a copy of the list that is iterated over meanwhile costs one copy, and not one for each removed member.
@usableFromInline struct KeyedList<Member> {
  @usableFromInline typealias Slot = (key: Int, member: Member?)

  /// The members in the order in which they were added, and empty slots.
  @usableFromInline var slots: ContiguousArray<Slot> = []
  /// The key of the newest member, even if that has been removed; keys ascend.
  @usableFromInline var newestKey = 0
  @usableFromInline var emptySlots = 0

  @inlinable init() {}

  @inlinable var isEmpty: Bool { emptySlots == slots.count }

  /// Adds a member, and returns its key.
  @inlinable mutating func append(_ member: Member) -> Int {
    newestKey += 1
    slots.append((newestKey, member))
    return newestKey
  }

  /// Removes a member and returns it, so that the caller can release it outside a lock.
  @inlinable mutating func remove(_ key: Int) -> Member? {
    guard let index = index(of: key), let member = slots[index].member.take() else { return nil }
    emptySlots += 1
    if index == slots.count - 1 {
      slots.removeLast()
      emptySlots -= 1
    } else if emptySlots * 2 > slots.count {
      slots.removeAll { $0.member == nil }
      emptySlots = 0
    }
    return member
  }

  /// Removes all members.
  ///
  /// Returns them, so that the caller can release them outside a lock.
  @inlinable mutating func removeAll() -> ContiguousArray<Slot> {
    defer { (slots, emptySlots) = ([], 0) }
    return slots
  }

  @inlinable func index(of key: Int) -> Int? {
    var range = slots.indices
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      switch slots[middle].key {
      case key: return middle
      case ..<key: range = (middle + 1)..<range.upperBound
      default: range = range.lowerBound..<middle
      }
    }
    return nil
  }
}

import ReactiveNetworkLock
import Testing

@Suite("Queue")
struct QueueTests {
  @Test("elements leave in the order in which they were added")
  func order() {
    var queue = Queue([1, 2])
    queue.append(3)
    #expect(queue.first == 1)
    #expect(queue.elements == [1, 2, 3])
    #expect((0..<4).map { _ in queue.popFirst() } == [1, 2, 3, nil])
    #expect(queue.isEmpty)
    #expect(queue.first == nil)
    #expect(queue.popLast() == nil)
  }

  @Test("an element is found and removed by its number, once, and the others keep their order")
  func numbers() {
    var queue = Queue<String>()
    let numbers = ["a", "b", "c", "d", "e"].map { queue.append($0) }
    #expect(queue.remove(numbers[1]) == "b")
    #expect(queue.remove(numbers[1]) == nil)
    #expect(queue[numbers[1]] == nil)
    queue[numbers[2]] = "C"
    queue[numbers[1]] = "B"
    queue[numbers[3]] = nil
    #expect(queue.elements == ["a", "C", "e"])
    #expect(queue.count == 3)
    #expect(queue.popFirst() == "a")
    #expect(queue.remove(numbers[0]) == nil)
    #expect(queue.remove(numbers[4] + 1) == nil)
  }

  @Test("the number of a removed element is not used again")
  func reuse() {
    var queue = Queue([0])
    var numbers: Set<Int> = []
    for value in 1...100 {
      numbers.insert(queue.append(value))
      _ = value.isMultiple(of: 3) ? queue.popFirst() : queue.popLast()
    }
    #expect(numbers.count == 100)
    let last = queue.append(101)
    _ = queue.removeAll()
    let next = queue.append(102)
    #expect(next > last)
    #expect(queue.remove(last) == nil)
  }

  @Test("nil is an element like any other")
  func optionals() {
    var queue = Queue<Int?>([nil, 1, nil])
    #expect(queue.count == 3)
    #expect(queue.popFirst() == .some(nil))
    #expect(queue.popLast() == .some(nil))
    #expect(queue.popFirst() == .some(1))
    #expect(queue.popFirst() == .none)
  }

  @Test("a random series of calls has the same results as with an array", arguments: 0..<20)
  func model(seed: UInt64) {
    var random = SplitMix(state: seed)
    var queue = Queue<Int>()
    var model: [(number: Int, element: Int)] = []
    for step in 0..<5_000 {
      // The queue grows, then shrinks.
      switch random.next(below: step % 1_000 < 500 ? 6 : 12) {
      case 0...2: model.append((queue.append(step), step))
      case 3: #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst().element))
      case 4: #expect(queue.popLast() == model.popLast()?.element)
      default:
        guard !model.isEmpty else { continue }
        let (number, element) = model.remove(at: random.next(below: model.count))
        #expect(queue[number] == element)
        #expect(queue.remove(number) == element)
        #expect(queue[number] == nil)
      }
      #expect(queue.count == model.count)
    }
    #expect(queue.elements == model.map(\.element))
  }

  #if DEBUG
    @Test("removing 100,000 elements, in whatever order, takes time in proportion to their number")
    func linearTime() {
      let orders: [(String, ([Int]) -> [Int])] = [
        ("oldest first", { $0 }), ("newest first", { $0.reversed() }),
        ("every second", { all in [0, 1].flatMap { rest in all.filter { $0 % 2 == rest } } }),
        ("all but the oldest", { Array($0.dropFirst() + $0.prefix(1)) }),
      ]
      for (name, order) in orders {
        var queue = Queue<Int>()
        let numbers = (0..<100_000).map { queue.append($0) }
        var removed = 0
        for number in order(numbers) where queue.inspectedSlots <= 300_000 {
          if queue.remove(number) != nil { removed += 1 }
        }
        #expect(removed == 100_000, "\(name): \(queue.inspectedSlots) slots inspected")
      }
    }
  #endif

  @Test("the memory of a burst is returned while an element stays, and that of removed elements is reused")
  func memory() {
    var queue = Queue(0..<100_000)
    while queue.count > 1 { _ = queue.popFirst() }
    #expect(queue.capacity <= 1_024)
    let oldest = queue.first
    for value in 0..<100_000 {
      let number = queue.append(value)
      queue.append(value)
      queue.remove(number)
      if queue.count > 10 { _ = queue.popLast() }
    }
    #expect(queue.first == oldest)
    #expect(queue.capacity <= 1_024)
  }

  @Test("removed elements are released, whatever stays")
  func lifetime() {
    final class Tracked {}
    var queue = Queue((0..<9).map { _ in Tracked() })
    weak let first = queue.first
    weak let second = queue[2]
    weak let last = queue[9]
    #expect(second != nil)
    _ = queue.popFirst()
    _ = queue.remove(2)
    _ = queue.popLast()
    #expect(first == nil)
    #expect(second == nil)
    #expect(last == nil)
    #expect(queue.count == 6)
  }
}

/// A generator of random numbers that are the same for each run.
private struct SplitMix {
  var state: UInt64

  mutating func next(below limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ (value >> 31)) % UInt64(limit))
  }
}

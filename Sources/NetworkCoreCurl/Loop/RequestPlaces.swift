internal import Synchronization

/// The places for the requests of a transport, which all of its loops share.
final class RequestPlaces: Sendable {
  /// The maximum number of requests at once.
  let limit: Int
  private let taken = Atomic(0)

  init(limit: Int) {
    self.limit = limit
  }

  /// Takes a place; returns `false` if there is none left.
  func take() -> Bool {
    var count = taken.load(ordering: .relaxed)
    while count < limit {
      let (isTaken, current) = taken.weakCompareExchange(
        expected: count, desired: count + 1, ordering: .relaxed)
      if isTaken { return true }
      count = current
    }
    return false
  }

  /// Takes a place even if there is none left.
  func takeBeyondLimit() {
    taken.add(1, ordering: .relaxed)
  }

  /// Gives a place back.
  func giveBack() {
    taken.subtract(1, ordering: .relaxed)
  }
}

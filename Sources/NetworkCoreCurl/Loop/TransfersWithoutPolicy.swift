/// The transfers that wait for the checks of a host's certificate.
struct TransfersWithoutPolicy {
  private static let leastLimit = 8

  /// The transfers, oldest first; some may be over.
  private(set) var all: [CurlTransfer]
  /// The count at which the transfers that are over are removed before another one is added.
  private var limit = leastLimit

  init(_ first: CurlTransfer) {
    all = [first]
  }

  mutating func append(_ transfer: CurlTransfer) {
    // Transfers that end early must not accumulate while a trust manager blocks.
    if all.count >= limit {
      all.removeAll { $0.isOver }
      limit = max(Self.leastLimit, 2 * all.count)
    }
    all.append(transfer)
  }
}

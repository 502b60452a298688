/// The transfers on connections that several transfers may share, by connection.
///
/// Intrusive doubly linked lists: inserting and removing take constant time and no memory.
struct TransfersByConnection {
  /// The links of a transfer in its list.
  struct Links {
    fileprivate let connection: ConnectionEndpoints
    fileprivate var next: CurlTransfer?
    fileprivate var previous: CurlTransfer?
  }

  private var first: [ConnectionEndpoints: CurlTransfer] = [:]

  /// Adds a transfer to its connection, and removes it from its previous one.
  mutating func insert(_ transfer: CurlTransfer, on connection: ConnectionEndpoints) {
    remove(transfer)
    let next = first.updateValue(transfer, forKey: connection)
    next?.connectionLinks?.previous = transfer
    transfer.connectionLinks = Links(connection: connection, next: next)
  }

  /// Removes a transfer, if it is present.
  mutating func remove(_ transfer: CurlTransfer) {
    guard let links = transfer.connectionLinks.take() else { return }
    links.next?.connectionLinks?.previous = links.previous
    if let previous = links.previous {
      previous.connectionLinks?.next = links.next
    } else {
      first[links.connection] = links.next
    }
  }

  /// Calls a closure, which must not change this value, with each transfer on a connection.
  func forEach(on connection: ConnectionEndpoints, _ body: (CurlTransfer) -> Void) {
    var next = first[connection]
    while let transfer = next {
      body(transfer)
      next = transfer.connectionLinks?.next
    }
  }

  /// Returns a transfer on a connection that is not paused.
  func running(on connection: ConnectionEndpoints) -> CurlTransfer? {
    var candidate = first[connection]
    while let transfer = candidate, !transfer.isRunning { candidate = transfer.connectionLinks?.next }
    return candidate
  }
}

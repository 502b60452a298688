/// The transfers on connections that several transfers may share, by connection.
///
/// Intrusive doubly linked lists: inserting and removing take constant time and no memory.
struct SharedConnections {
  /// The links of a transfer in its list.
  struct Place {
    fileprivate let connection: ConnectionEndpoints
    fileprivate var next: CurlTransfer?
    fileprivate var previous: CurlTransfer?
  }

  private var first: [ConnectionEndpoints: CurlTransfer] = [:]

  /// Adds a transfer to its connection, and removes it from its previous one.
  mutating func insert(_ transfer: CurlTransfer, on connection: ConnectionEndpoints) {
    remove(transfer)
    let next = first.updateValue(transfer, forKey: connection)
    next?.connectionPlace?.previous = transfer
    transfer.connectionPlace = Place(connection: connection, next: next)
  }

  /// Removes a transfer, if it is present.
  mutating func remove(_ transfer: CurlTransfer) {
    guard let place = transfer.connectionPlace.take() else { return }
    place.next?.connectionPlace?.previous = place.previous
    if let previous = place.previous {
      previous.connectionPlace?.next = place.next
    } else {
      first[place.connection] = place.next
    }
  }

  /// Returns a transfer on a connection that is not paused.
  func running(on connection: ConnectionEndpoints) -> CurlTransfer? {
    var candidate = first[connection]
    while let transfer = candidate, !transfer.isRunning { candidate = transfer.connectionPlace?.next }
    return candidate
  }
}

/// The transfers on connections that several may share, found by their connection.
///
/// Lists that go through the transfers themselves, so that coming and going cost no memory and no look at the others.
struct SharedConnections {
  /// Where a transfer stands in its list.
  struct Place {
    fileprivate let connection: ConnectionEnds
    fileprivate var next: CurlTransfer?
    fileprivate var previous: CurlTransfer?
  }

  private var first: [ConnectionEnds: CurlTransfer] = [:]

  /// Takes in a transfer that has got a connection, in place of any that it had.
  mutating func insert(_ transfer: CurlTransfer, on connection: ConnectionEnds) {
    remove(transfer)
    let next = first.updateValue(transfer, forKey: connection)
    next?.connectionPlace?.previous = transfer
    transfer.connectionPlace = Place(connection: connection, next: next)
  }

  /// Lets go of a transfer, if it is there.
  mutating func remove(_ transfer: CurlTransfer) {
    guard let place = transfer.connectionPlace.take() else { return }
    place.next?.connectionPlace?.previous = place.previous
    if let previous = place.previous {
      previous.connectionPlace?.next = place.next
    } else {
      first[place.connection] = place.next
    }
  }

  /// Some transfer on a connection that has not been told to wait there.
  func running(on connection: ConnectionEnds) -> CurlTransfer? {
    var candidate = first[connection]
    while let transfer = candidate, !transfer.isRunning { candidate = transfer.connectionPlace?.next }
    return candidate
  }
}

// The transfers on a connection that several transfers may share.
//
// An intrusive doubly linked list: inserting and removing take constant time and no memory.
extension Connection {
  /// The links of a transfer in the list of its connection.
  struct Links {
    fileprivate let connection: Connection
    fileprivate var next: CurlTransfer?
    fileprivate var previous: CurlTransfer?
  }

  /// Calls a closure, which must not change the list, with each transfer.
  func forEachTransfer(_ body: (CurlTransfer) -> Void) {
    var next = firstTransfer
    while let transfer = next {
      body(transfer)
      next = transfer.connectionLinks?.next
    }
  }

  /// A transfer that is not paused; `nil` if there is none.
  var runningTransfer: CurlTransfer? {
    var candidate = firstTransfer
    while let transfer = candidate, !transfer.isRunning { candidate = transfer.connectionLinks?.next }
    return candidate
  }
}

extension CurlTransfer {
  /// Adds the transfer to a connection, and removes it from its previous one.
  func join(_ connection: Connection) {
    leaveConnection()
    let next = connection.firstTransfer
    next?.connectionLinks?.previous = self
    connection.firstTransfer = self
    connectionLinks = Connection.Links(connection: connection, next: next)
  }

  /// Removes the transfer from its connection, if it has one.
  func leaveConnection() {
    guard let links = connectionLinks.take() else { return }
    links.next?.connectionLinks?.previous = links.previous
    if let previous = links.previous {
      previous.connectionLinks?.next = links.next
    } else {
      links.connection.firstTransfer = links.next
    }
  }
}

internal import Foundation

/// The sockets of a handle's connections: those that were opened for its current request, and the book in which that of a
/// kept connection is found.
struct ConnectionSockets {
  /// It outlives the multi handle, which closes the sockets.
  let book: SocketBook
  private var opened: [CInt] = []

  init(book: SocketBook) {
    self.book = book
  }

  /// The handle goes on to another request.
  mutating func forgetOpened() {
    opened.removeAll(keepingCapacity: true)
  }

  /// A socket has been opened for the current request: one of several where a host has several addresses.
  mutating func noteOpening(of socket: CInt) {
    opened.append(socket)
    book.noteOpening(of: socket)
  }

  /// Whether a socket that was opened for the current request, and is not known to be its connection's, fulfils a condition.
  func hasOpened(where condition: (CInt) -> Bool) -> Bool { opened.contains(where: condition) }

  /// The request gets a connection; returns whether that one had been kept.
  ///
  /// A new one is entered into the book.
  mutating func isKept(_ connection: ConnectionEnds) -> Bool {
    if opened.isEmpty { return true }
    book.add(opened, connection)
    forgetOpened()
    return false
  }
}

extension CurlConfiguration.Names.Family {
  /// Whether a socket of an address family, such as `AF_INET`, may be opened; those within the machine always may.
  func admits(_ addressFamily: CInt) -> Bool {
    switch self {
    case .any: true
    case .ipv4: addressFamily != CInt(AF_INET6)
    case .ipv6: addressFamily != CInt(AF_INET)
    }
  }
}

/// An event of one of several transfers.
package struct TransferUpdate: Sendable {
  package enum Event: Sendable {
    /// The bytes transferred so far, and the total; 0 if the total is not known.
    case transferred(Int64, of: Int64)
    /// A message worth a line of output; the transfer continues.
    case note(String)
    case done(String)
    case failed(String)
  }

  /// The index of the transfer.
  package let index: Int
  package let event: Event

  package init(_ index: Int, _ event: Event) {
    self.index = index
    self.event = event
  }
}

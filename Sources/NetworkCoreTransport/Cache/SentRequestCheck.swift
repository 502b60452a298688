internal import ReactiveNetworkLock

/// Compares a request of a cache with the request that the transport below sends.
///
/// The cache sees neither a layer that adds a credential nor the field that selects the response. The request
/// carries the check through the layers, so that none of them has to state what it changes.
package final class SentRequestCheck: Sendable {
  enum Result { case unconfirmed, unchanged, changed }

  private let url: String
  private let headers: HTTPHeaders
  private let credential: TransportRequest.Credential?
  /// The check of a cache outside.
  private let outer: SentRequestCheck?
  private let state = Lock(Result.unconfirmed)

  init(_ request: TransportRequest) {
    (url, headers, credential) = (request.url, request.headers, request.credential)
    outer = request.sentRequestCheck
  }

  /// The result so far; `.unconfirmed` if no transport has compared its request.
  var result: Result { state.withLock { $0 } }

  /// Compares the request that a transport is about to send; one change among several requests counts.
  func compare(_ sent: TransportRequest) {
    note(sent.url == url && sent.headers == headers && sent.credential == credential)
  }

  private func note(_ isUnchanged: Bool) {
    state.withLock { $0 = isUnchanged && $0 != .changed ? .unchanged : .changed }
    outer?.note(isUnchanged)
  }
}

extension SentRequestCheck: Hashable {
  package static func == (first: SentRequestCheck, second: SentRequestCheck) -> Bool { first === second }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetworkLock

extension ProgramRun {
  /// Replays the recorded response to the first request, through the same layers.
  ///
  /// A replay sends nothing, and has the response of the same user.
  func replay() {
    guard let recordings, composition.mustSucceed, composition.fault == .none, !composition.changesUser,
      composition.tokenSource != .stalledInterceptor
    else { return }
    let sent = record.state.withLock { $0.hits.count }
    let path = composition.shape.isSocket ? "socket" : composition.posts ? "post" : "get"
    let isRecorded = record.state.withLock { $0.hits.contains { !$0.isForeign && $0.path == path } }
    guard isRecorded else { return }
    do {
      let player = try ReplayTransport(folder: recordings.url)
      // Another cache, because the replay serves one user's responses without a credential.
      let stack = TransportStack(
        record: record, origin: service.home.origin, policies: policies, cache: try HTTPCache(),
        recordings: recordings)
      let replaying = Self.provider(over: stack.transport(over: player), record, clock)
      let user = record.state.withLock { $0.user }
      ends.enter()
      if composition.shape.isSocket {
        replaySocket(over: replaying)
      } else {
        replaying.request(first) { result in
          switch result {
          case .success(let response): self.check(response, for: user)
          case .failure(let error): self.record.note("the replay failed: \(error)")
          }
          self.ends.leave()
        }
      }
      if !hasEnded() { record.note("the replay has not ended") }
    } catch {
      record.note("the recordings cannot be replayed: \(error)")
    }
    // The server may receive the losing copy of a hedge only now.
    let isHedged =
      composition.layers.contains(.hedging) || composition.has(.hedged) || composition.has(.hedgedUnknown)
    guard !isHedged, record.state.withLock({ $0.hits.count }) != sent else { return }
    record.note("the replay sent a request")
  }
}

import Dispatch
import Foundation
import NetworkCore
import ReactiveNetwork
import ReactiveNetworkLock
import RxLite

extension ProgramRun {
  /// The most handlers of a burst that may compute at a time.
  ///
  /// A busy system may stop a thread in a way that looks like waiting, so it is half of them.
  private static let mostComputing = burst / 2

  /// The violation of that limit.
  static let manyCompute = "many handlers compute at a time"

  /// Handles a response as the program does.
  func receive(_ response: Response, for user: String) {
    arrival.signal()
    check(response, for: user)
    handle()
  }

  /// Does what the handler of the program does.
  func handle() {
    switch composition.handler {
    case .returns: break
    case .blocks: usleep(8_000)
    case .computes: compute()
    case .sends: follow(isForeign: false)
    case .sendsElsewhere: follow(isForeign: true)
    }
  }

  /// Checks that a response is meant for the user.
  func check(_ response: Response, for user: String) {
    let body = (try? response.mapString()) ?? ""
    if response.statusCode == 200, !["foreign", "token"].contains(body), body != user {
      record.note("a user got the response to another one: \(body) instead of \(user)")
    }
  }

  /// Handles the failure of a request or subscription; `nil` if it ended without an element.
  func fail(_ error: (any Error)?) {
    arrival.signal()
    if composition.mustSucceed {
      record.note("a subscriber got no response: \(error.map { "\($0)" } ?? "no element")")
    }
    // On the thread that cancels, which goes on when this returns.
    if composition.cancellation == .seenByServer, (error as? NetworkError)?.isCancelled == true,
      record.state.withLock({ !$0.hits.isEmpty }),
      !service.seesCancel(ofProgram: number, within: patience)
    {
      record.note("a completion ran before the server saw the cancel")
    }
  }

  /// Handles the failure of a request that is no part of the program.
  func failUnrelated(_ error: any Error) {
    if composition.mustServeStrangers { record.note("an unrelated request failed: \(error)") }
  }

  private func compute() {
    guard composition.shape == .burst else { return ProcessThreads.compute(microseconds: 100) }
    let computing = record.state.withLock { state in
      state.computing += 1
      return state.computing
    }
    if computing > Self.mostComputing { record.note(Self.manyCompute) }
    ProcessThreads.compute(microseconds: 50_000)
    record.state.withLock { $0.computing -= 1 }
  }

  private func follow(isForeign: Bool) {
    var target = target("follow", isForeign: isForeign)
    target.isAuthorized = !isForeign
    ends.enter()
    _ = provider.rx.request(target).subscribe(
      onFailure: { error in
        if self.composition.fault != .resetOnce { self.failUnrelated(error) }
      }, onDisposed: { self.ends.leave() })
  }
}

import Dispatch
import Foundation
import NetworkCore
import ReactiveNetwork
import ReactiveNetworkLock
import RxLite

extension ProgramRun {
  /// The number of requests in a burst.
  static let burst = 24

  /// Subscribes to a sequence.
  func runSequence() {
    let sequence = sequence()
    let subscriptions = CompositeDisposable()
    prepareCancellation { subscriptions.dispose() }
    for subscriber in 0..<composition.subscribers {
      if composition.changesUser { record.state.withLock { $0.user = "user\(subscriber)" } }
      let user = record.state.withLock { $0.user }
      let outcome = Lock((hasElement: false, error: (any Error)?.none))
      ends.enter()
      let subscription = sequence.subscribe(
        onNext: { response in
          outcome.withLock { $0.hasElement = true }
          self.receive(response, for: user)
        }, onError: { error in outcome.withLock { $0.error = error } },
        onDisposed: {
          let (hasElement, error) = outcome.withLock { $0 }
          if !hasElement || error != nil { self.fail(error) }
          self.ends.leave()
        })
      _ = subscriptions.insert(subscription)
    }
    cancelInTime { subscriptions.dispose() }
  }

  /// Sends requests with callbacks.
  func runCallbacks() {
    let tokens = CompositeDisposable()
    prepareCancellation { tokens.dispose() }
    for _ in 0..<(composition.shape == .burst ? Self.burst : composition.subscribers) {
      let user = record.state.withLock { $0.user }
      ends.enter()
      let token = provider.request(first) { result in
        switch result {
        case .success(let response): self.receive(response, for: user)
        case .failure(let error): self.fail(error)
        }
        self.ends.leave()
      }
      _ = tokens.insert(Disposables.create { token.cancel() })
    }
    cancelInTime { tokens.dispose() }
  }

  /// Awaits responses in tasks.
  func runTasks() {
    let tasks = CompositeDisposable()
    let (isOfSingle, isCancelled) = (composition.shape == .taskOfSingle, composition.cancellation == .atOnce)
    prepareCancellation { tasks.dispose() }
    for _ in 0..<composition.subscribers {
      let user = record.state.withLock { $0.user }
      ends.enter()
      let task = Task {
        if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
        do {
          let response =
            isOfSingle ? try await self.single().value : try await self.provider.response(for: self.first)
          self.receive(response, for: user)
        } catch {
          self.fail(error)
        }
        self.ends.leave()
      }
      _ = tasks.insert(Disposables.create { task.cancel() })
    }
    if !isCancelled { cancelInTime { tasks.dispose() } }
  }

  /// Starts the program, and then requests that wait in its limit and are no part of it.
  func startStrangers(after start: () -> Void) {
    start()
    for isForeign in [false, true] {
      var stranger = target("stranger", isForeign: isForeign, method: isForeign ? .get : .post)
      stranger.isAuthorized = false
      ends.enter()
      _ = provider.rx.request(stranger).limitConcurrency(policies.limit, longestWait: nil).subscribe(
        onFailure: { self.failUnrelated($0) }, onDisposed: { self.ends.leave() })
    }
  }

  /// Makes the arrival of a request cancel the program, if it does.
  func prepareCancellation(_ cancel: @escaping @Sendable () -> Void) {
    switch composition.cancellation {
    case .onArrival: record.state.withLock { $0.onHit = cancel }
    case .seenByServer: record.state.withLock { [arrival] in $0.onHit = { arrival.signal() } }
    case .none, .atOnce, .later, .trigger: break
    }
  }

  /// Cancels the program when its time has come.
  func cancelInTime(_ cancel: () -> Void) {
    switch composition.cancellation {
    case .none, .onArrival: return
    case .atOnce: break
    case .later: pass()
    case .trigger:
      pass()
      stop.onNext(())
      pass()
    case .seenByServer:
      let end = DispatchTime.now() + .seconds(patience)
      while arrival.wait(timeout: .now() + .milliseconds(10)) == .timedOut, DispatchTime.now() < end {
        clock?.advance(by: .seconds(20))
      }
    }
    cancel()
  }
}

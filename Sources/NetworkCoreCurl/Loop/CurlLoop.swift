internal import CNetworkCoreCurl
internal import Dispatch
internal import Foundation
internal import ReactiveNetworkLock
internal import Synchronization

/// The loop that runs libcurl's multi handle.
///
/// It has a thread, which becomes the thread of its callbacks when the last transfer ends: waking another one
/// takes longer than all else that such a response needs. Another thread runs the loop meanwhile if it is
/// needed.
///
/// Sendable despite its mutable properties: `inbox` guards the state that other threads access. Only the
/// thread that runs the loop accesses everything else, from `run(on:)` down, and `init` does before there is
/// one, as `CurlLoops.init` does before the first command. `callbacks` hands the loop from one thread to the
/// next under its lock.
final class CurlLoop: ParkableLoop, @unchecked Sendable {
  let inbox = LoopInbox()
  private let transfers = Atomic(0)
  private let places: RequestPlaces
  let multi: CurlMulti
  let origins: OriginQueueTable
  let activity = LoopActivity()
  let profiles: CurlProfiles
  let timeouts: CurlConfiguration.Timeouts
  let family: CurlConfiguration.Names.Family
  /// The advertised alternative services; `nil` if they are not used.
  @exclusivity(unchecked) var alternativeServices: AlternativeServiceCache?
  private let forkCount = ccurl_fork_count()

  // Without exclusivity checks, like everything that the loop's thread uses several times for each transfer.
  var commands = Queue<LoopInbox.Command>()
  @exclusivity(unchecked) var active = DeadlineHeap()
  @exclusivity(unchecked) var handles: HandlePool
  /// The connections of cancelled streams whose resets have not been sent yet.
  var connectionsToFlush: [Connection] = []
  /// The transfers that wait for the checks of a host's certificate, by host.
  var transfersWithoutPolicy: [String: TransfersWithoutPolicy] = [:]
  /// Calls the handlers on threads that do not run the loop.
  let callbacks = CallbackPool(threadName: "CurlTransport")
  /// What to deliver at the end of the iteration.
  let batch: DeliveryBatch
  @exclusivity(unchecked) var earlyResponses = EarlyResponses()
  var isShuttingDown = false
  /// Whether a callback has started the latest transfer.
  var isChained = false
  /// The time, read once per iteration.
  private(set) var now: UInt64 = 0
  let decodingBuffer = DecodingBuffer()
  let lastGauges = LatestGauges()

  init(
    library: CurlLibrary, profiles: sending CurlProfiles, configuration: CurlConfiguration,
    places: RequestPlaces
  ) throws(CurlConfigurationError) {
    self.profiles = profiles
    self.places = places
    timeouts = configuration.timeouts
    family = configuration.names.family
    origins = OriginQueueTable(configuration, library: library)
    if configuration.httpVersion == .http3IfAdvertised { alternativeServices = AlternativeServiceCache() }
    do throws(CurlUnavailableError) {
      multi = try CurlMulti(curl: library.table, limits: configuration.connections, origins: origins)
    } catch {
      throw .unavailable(error)
    }
    handles = HandlePool(library: library, sockets: multi.sockets)
    batch = DeliveryBatch(callbacks)
    activity.register()
    callbacks.start(self)
  }

  /// Whether the calling thread runs the loop, or calls its handlers.
  var isCurrent: Bool { activity.isCurrent || callbacks.isCurrent }

  /// The number of transfers of this loop whose handlers have not returned from their last call.
  var load: Int { transfers.load(ordering: .relaxed) }

  /// Whether this process was forked from the one that created the loop, in which case the loop's thread does
  /// not exist here.
  var isForkedCopy: Bool { ccurl_fork_count() != forkCount }

  /// Accepts a transfer, from any thread.
  func start(_ transfer: CurlTransfer, refusal: TransferError?) {
    transfers.add(1, ordering: .relaxed)
    let refusal = refusal ?? takePlace(for: transfer)
    if isForkedCopy {
      let reason =
        "the transport was created before this process was forked, and works only in the original process"
      return transfer.refuse(refusal ?? .other(code: CCURLE_FAILED_INIT, reason: reason))
    }
    // A redirect may arrive after the release of the transport; its target is then not requested.
    if post(.start(transfer, refusal: refusal)) == .refused { transfer.refuse(refusal ?? .cancelled) }
  }

  /// Notes that the handler of a transfer has returned from its last call.
  func noteEnd() {
    transfers.subtract(1, ordering: .relaxed)
  }

  /// Takes a place for a transfer; returns the error of a transfer that gets none.
  private func takePlace(for transfer: CurlTransfer) -> TransferError? {
    if transfer.request.firstStart != nil {
      // The target of a redirect has been accepted with the first request.
      places.takeBeyondLimit()
    } else if !places.take() {
      return .queueFull(maxWaiting: places.limit)
    }
    transfer.hasPlace = true
    return nil
  }

  /// Gives back the place of a transfer that has ended.
  func releasePlace(of transfer: CurlTransfer) {
    guard transfer.hasPlace else { return }
    transfer.hasPlace = false
    places.giveBack()
  }

  /// Sends the loop a command, from any thread.
  @discardableResult
  func post(_ command: LoopInbox.Command) -> LoopInbox.Answer {
    // A thread that does not exist in this process may have held its lock during the fork.
    guard !isForkedCopy else { return .refused }
    let answer = inbox.post(command) { multi.wake() }
    if answer == .mustRun { callbacks.runLoop() }
    return answer
  }
}

extension CurlLoop {
  func run(on thread: CallbackThread) {
    // A handler that has forked the process returns to this thread in both.
    guard !isForkedCopy else { return }
    TransportThread.attach()
    withoutSIGPIPE { iterate(on: thread) }
    TransportThread.detach()
  }

  private func iterate(on thread: CallbackThread) {
    activity.enter()
    multi.watchdog.attach()
    while true {
      let mayWait = earlyResponses.isEmpty && inbox.prepareToWait()
      let deadline = mayWait ? min(active.nextCheck, origins.nextCheck) : 0
      activity.suspend()
      multi.wait(until: deadline)
      activity.resume()
      inbox.swapCommands(with: &commands)
      now = DispatchTime.now().uptimeNanoseconds
      multi.processSockets()
      executeCommands()
      if isShuttingDown { break }
      sendBufferedResets()
      multi.processTimeout(now: now)
      // Between reading and delivering, so that a slow handler on this thread does not time out other
      // transfers: by now, everything that has arrived meanwhile has been noted.
      if now >= active.nextCheck { endExpiredTransfers() }
      endFinishedTransfers()
      checkEarlyResponses()
      endUnwatchedTransfers()
      sendWaitingTransfers()
      sendBufferedResets()
      batch.enqueueEvents()
      // From here on, another thread may run the loop.
      if mayPark, batch.deliver(parking: self, on: thread, leave) { return }
      batch.deliver()
    }
    shutDown()
    activity.end()
  }

  /// Whether the loop has nothing to do until the next command.
  ///
  /// A callback that starts the next one would need the loop at once. Then two threads would take turns with
  /// it, each on its own processor, which costs more than the wake-up: 1.3 times the processor time, where
  /// parking takes 0.6 times for requests that other threads start.
  private var mayPark: Bool {
    active.isEmpty && !isChained && !multi.hasTimeout && earlyResponses.isEmpty
  }

  /// Ends the work of the calling thread in the loop, unless there is more to do.
  private func leave() -> Bool {
    guard inbox.leave() else { return false }
    activity.leave()
    return true
  }
}

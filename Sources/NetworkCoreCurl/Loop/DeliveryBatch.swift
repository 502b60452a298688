/// What the loop delivers at the end of an iteration; used only by the thread that runs it.
///
/// One wake-up of another thread suffices for all of it.
final class DeliveryBatch {
  private let callbacks: CallbackPool
  @exclusivity(unchecked) private var transfers: [CurlTransfer] = []
  @exclusivity(unchecked) private var enqueuing: [CurlTransfer] = []
  @exclusivity(unchecked) private var calls: [CallbackPool.Callback] = []

  init(_ callbacks: CallbackPool) {
    self.callbacks = callbacks
  }

  /// Adds a transfer that has events; may be called within libcurl's callbacks.
  func add(_ transfer: CurlTransfer) {
    guard !transfer.isPending else { return }
    transfer.isPending = true
    transfers.append(transfer)
  }

  /// Adds a call of user code, for a thread that it may block.
  func add(_ call: @escaping @Sendable () -> Void) {
    calls.append(CallbackPool.Callback(call))
  }

  /// Moves the events of the added transfers to their queues, which adds the calls that deliver them.
  func enqueueEvents() {
    guard !transfers.isEmpty else { return }
    swap(&transfers, &enqueuing)
    for transfer in enqueuing where transfer.isPending { transfer.enqueueEvents() }
    enqueuing.removeAll(keepingCapacity: true)
  }

  /// Makes all added calls, on other threads.
  func deliver() {
    callbacks.call(&calls)
  }

  /// Parks the loop, so that its thread makes the added calls itself; returns `false` if that is not possible.
  func deliver(parking loop: CurlLoop, on thread: CallbackThread, _ leave: () -> Bool) -> Bool {
    !calls.isEmpty && callbacks.park(loop, on: thread, calling: &calls, leave)
  }

  /// Drops the transfers with events, which reference the loop.
  func removeTransfers() {
    transfers = []
  }
}

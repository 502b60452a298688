import NetworkCore
import RxLite

/// Prepares each thread that RxLite is about to block until a sequence has ended.
///
/// If the thread calls callbacks, another thread takes over the callbacks. The thread that carries requests
/// must not wait, so the preparation throws an error there.
enum BlockingWaitPreparation {
  /// Installs the preparation on first access, which must come before a subscription sends a request.
  static let isInstalled: Void = BlockingWaitHook.setPreparation {
    do throws(WaitingError) { try TransportThread.prepareToWait() } catch {
      throw NetworkError.underlying(error, nil)
    }
  }
}

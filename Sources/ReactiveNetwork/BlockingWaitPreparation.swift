import NetworkCore
import RxLite

/// Runs the wait of each thread that RxLite blocks until a sequence has ended.
///
/// If the thread calls callbacks, another thread takes over the callbacks. The thread that carries requests
/// must not wait, so an error is thrown there.
enum BlockingWaitPreparation {
  /// Installs the preparation on first access, which must come before a subscription sends a request.
  static let isInstalled: Void = BlockingWaitHook.setWaiting { wait in
    do throws(WaitingError) { try TransportThread.wait(wait) } catch {
      throw NetworkError.underlying(error, nil)
    }
  }
}

import NetworkCore
import RxLite

/// Has RxLite ask before a thread waits for a sequence: one that calls callbacks is replaced, and the one that carries requests must
/// not wait.
enum CallbackWaits {
  /// To be touched before a subscription sends a request.
  static let arePrepared: Void = BlockingWait.setPreparation {
    do throws(WaitingError) { try TransportThread.prepareToWait() } catch {
      throw NetworkError.underlying(error, nil)
    }
  }
}

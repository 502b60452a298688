import Dispatch
import Foundation
import Locking

/// Turns the signals that end a program into a request to quit, so that it ends in order.
final class Signals: Sendable {
  private let received = Lock<Int32?>(nil)
  private let sources = Lock([any DispatchSourceSignal]())

  init(quit: @escaping @Sendable () -> Void) {
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [weak self] in
        self?.received.withLock { $0 = number }
        quit()
      }
      source.resume()
      sources.withLock { $0.append(source) }
    }
  }

  /// The exit status that tells of the signal, as shells have it; `nil` where there was none.
  var exitStatus: Int32? { received.withLock { $0 }.map { 128 + $0 } }
}

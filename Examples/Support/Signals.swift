import Dispatch
import Foundation
package import RxLite

/// Sends an element for each signal that asks the program to end, which no longer does so by itself.
package func endings() -> Observable<Int32> {
  Observable.merge(
    [SIGINT, SIGTERM, SIGHUP, SIGQUIT].map { number in
      Observable.create { observer in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        let isReady = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isReady.signal() }
        source.setEventHandler { observer.onNext(number) }
        source.resume()
        // A thread of Dispatch's own registers it; a signal that came before would be lost.
        isReady.wait()
        return Disposables.create { source.cancel() }
      }
    })
}

@preconcurrency import Dispatch
package import ReactiveNetwork

/// Emits each signal that asks the program to end; the signals no longer end the program by themselves.
package func terminationSignals() -> Observable<Int32> { signals(SIGINT, SIGTERM, SIGHUP, SIGQUIT) }

/// Emits each of these signals; they no longer end the program by themselves.
package func signals(_ numbers: Int32...) -> Observable<Int32> {
  Observable.merge(
    numbers.map { number in
      Observable.create { observer in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        let isReady = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isReady.signal() }
        source.setEventHandler { observer.onNext(number) }
        source.resume()
        // Dispatch registers the source on another thread; a signal before that would be lost.
        isReady.wait()
        return Disposables.create { source.cancel() }
      }
    })
}

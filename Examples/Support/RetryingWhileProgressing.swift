import Dispatch
package import ReactiveNetwork
import ReactiveNetworkLock

extension ObservableType where Element == TransferUpdate.Event {
  /// Retries after transient errors and reports each retry; fails with the fifth consecutive error without
  /// progress.
  package func retryingWhileProgressing() -> Observable<TransferUpdate.Event> {
    let source = asObservable()
    return Observable.create { observer in
      let progress = Lock((most: Int64(0), errors: 0))
      return source.do(onNext: { event in
        guard case .transferred(let count, _) = event else { return }
        progress.withLock { if count > $0.most { $0 = (count, 0) } }
      })
      // Retries POST too, because each attempt first asks how much has arrived.
      .retry(
        backoff: .exponential(initial: .milliseconds(200), max: .seconds(2)), maxAttempts: .max,
        retryableHTTPMethods: [.get, .head, .post]
      ) { error in
        let errors = progress.withLock { progress in
          progress.errors += 1
          return progress.errors
        }
        guard errors < 5, error.isTransient else { return false }
        observer.onNext(.note("retrying: \(explanation(of: error))"))
        return true
      }
      .subscribe(observer)
    }
  }
}

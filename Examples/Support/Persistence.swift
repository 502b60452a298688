import Dispatch
import NetworkCore
import ReactiveNetwork
package import RxLite

extension ObservableType where Element == Step.Event {
  /// Retries after transient errors and reports each retry; fails with the fifth error in a row without
  /// progress.
  package func persisting() -> Observable<Step.Event> {
    Observable.create { observer in
      var (most, errors) = (Int64(0), 0)
      return self.do(onNext: { event in
        if case .moved(let count, _) = event, count > most { (most, errors) = (count, 0) }
      })
      // Retries POST too, because each attempt first asks how much has arrived.
      .retry(
        backoff: .exponential(initial: .milliseconds(200), max: .seconds(2)), maxAttempts: .max,
        retryableHTTPMethods: [.get, .head, .post]
      ) { error in
        errors += 1
        guard errors < 5, error.isTransient else { return false }
        observer.onNext(.note("trying again: \(explanation(of: error))"))
        return true
      }
      .subscribe(observer)
    }
  }
}

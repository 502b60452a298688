import ExampleSupport
import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite

/// What there is to show.
enum Outcome: Sendable {
  /// There is nothing to search for.
  case cleared
  case found(SearchPage, query: String)
  case failed(String, query: String)
}

/// From keystrokes to results: what the program is about.
struct Pipeline {
  let provider: NetworkProvider<CodeHost>
  let host: URL
  /// How long the text must rest before it is searched for.
  let rest: RxTimeInterval
  /// Called with each key and the text that it makes.
  let typed: (Key, String) -> Void

  func outcomes(keys: Observable<Key>, quit: Observable<Void>) -> Observable<Outcome> {
    keys
      .scan((key: Key.clear, text: "")) { ($1, $0.text.typing($1)) }
      .do(onNext: { typed($0.key, $0.text) })
      .map { $0.text.trimmingCharacters(in: .whitespaces) }
      .debounce(rest, scheduler: SerialDispatchQueueScheduler(internalSerialQueueName: "typing"))
      .distinctUntilChanged()
      .flatMapLatest { search($0) }
      .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "display"))
      .take(until: quit)
  }

  /// One search: an error becomes something to show, so that the next keystroke finds the pipeline alive.
  private func search(_ query: String) -> Observable<Outcome> {
    guard !query.isEmpty else { return .just(.cleared) }
    return provider.rx.request(.searchRepositories(query, at: host))
      .filterSuccessfulStatusCodes()
      .map(SearchPage.self)
      .map { .found($0, query: query) }
      .asObservable()
      .catch { .just(.failed(explanation(of: $0), query: query)) }
  }
}

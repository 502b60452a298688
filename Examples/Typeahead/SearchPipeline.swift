import ReactiveNetwork
import ReactiveNetworkExamples

/// What to show.
enum SearchOutcome: Sendable {
  /// There is nothing to search for.
  case cleared
  case found(SearchPage, query: String)
  case failed(String, query: String)
}

/// Turns keystrokes into results; the core of the program.
struct SearchPipeline {
  let provider: NetworkProvider<CodeHost>
  let host: URL
  /// How long the text must stay unchanged before it is searched for.
  let quietInterval: RxTimeInterval
  /// Called with each key and the resulting text.
  let typed: @Sendable (Key, String) -> Void

  func outcomes(keys: Observable<Key>, quit: Observable<Void>) -> Observable<SearchOutcome> {
    keys
      .scan((key: Key.clear, text: "")) { ($1, $0.text.typing($1)) }
      .do(onNext: { typed($0.key, $0.text) })
      .map { $0.text.trimmingCharacters(in: .whitespaces) }
      .debounce(quietInterval, scheduler: SerialDispatchQueueScheduler(internalSerialQueueName: "typing"))
      .distinctUntilChanged()
      .flatMapLatest { search($0) }
      .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "display"))
      .take(until: quit)
  }

  /// Searches once; an error becomes an outcome, so that the pipeline survives it and handles the next
  /// keystroke.
  private func search(_ query: String) -> Observable<SearchOutcome> {
    guard !query.isEmpty else { return .just(.cleared) }
    return provider.rx.request(.searchRepositories(query, at: host))
      .filterSuccessfulStatusCodes()
      .map(SearchPage.self)
      .map { .found($0, query: query) }
      .asObservable()
      .catch { .just(.failed(explanation(of: $0), query: query)) }
  }
}

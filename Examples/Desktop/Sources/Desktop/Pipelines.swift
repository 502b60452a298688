import ReactiveNetwork

/// What a search has come to.
enum SearchOutcome: Sendable {
  case cleared
  case found([Repository], for: String)
  case failed(any Error)
}

/// Turns typing and scrolling into requests; the core of the program.
struct Pipelines {
  let provider: NetworkProvider<CodeHost>
  let host: URL
  /// Active while a search runs.
  let searching = ActivityIndicator()

  /// Searches for the text when it has rested; a newer text cancels the older search.
  func outcomes(of text: Observable<String>) -> Observable<SearchOutcome> {
    text.map { $0.trimmingCharacters(in: .whitespaces) }
      .debounce(.milliseconds(200), scheduler: MainScheduler.instance)
      .distinctUntilChanged()
      .flatMapLatest { text in
        guard !text.isEmpty else { return Observable<SearchOutcome>.just(.cleared) }
        return provider.rx.request(.search(text, at: host))
          .filterSuccessfulStatusCodes()
          .map([Repository].self, atKeyPath: "items")
          .map { .found($0, for: text) }
          .asObservable()
          .catch { .just(.failed($0)) }
          .trackActivity(searching)
      }
  }

  /// Loads a picture once its row is visible; a row that leaves the view first cancels the request.
  func picture(at url: URL, whileVisible visible: Observable<Bool>) -> Observable<Data> {
    visible.distinctUntilChanged()
      .flatMapLatest { isVisible in
        guard isVisible else { return Observable<Data>.empty() }
        return provider.rx.request(.picture(url)).filterSuccessfulStatusCodes().map(\.data)
          .asObservable().catch { _ in .empty() }
      }
      .take(1)
  }
}

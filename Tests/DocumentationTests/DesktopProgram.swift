#if os(Linux)
  import Foundation
  import MainLoops
  import ReactiveNetwork

  /// The examples of the article about desktop programs; `Examples/Desktop` runs them in a window.
  @MainActor private enum DesktopProgram {
    struct Repository: Decodable {}

    enum SearchOutcome {
      case found([Repository])
      case failed(String)
    }

    enum CodeHost: TargetType {
      case search(String)
      case picture(URL)

      var baseURL: URL { URL(filePath: "/") }
      var path: String { "" }
    }

    final class Window {
      var isSpinning = false
      var picture = Data()
      func show(_ outcome: SearchOutcome) {}
    }

    static func attach() throws {
      try GLibMainLoop.attachMainQueue()
    }

    static func search(
      _ provider: NetworkProvider<CodeHost>, _ searching: ActivityIndicator, _ window: Window,
      _ bag: DisposeBag
    ) {
      let text = BehaviorRelay(value: "")

      let outcomes = text.skip(1)
        .debounce(.milliseconds(200), scheduler: MainScheduler.instance)
        .distinctUntilChanged()
        .flatMapLatest { text in
          provider.rx.request(.search(text))
            .filterSuccessfulStatusCodes()
            .map([Repository].self, atKeyPath: "items")
            .map { SearchOutcome.found($0) }
            .asObservable()
            .catch { .just(.failed($0.localizedDescription)) }
            .trackActivity(searching)
        }
      outcomes.subscribe(onMain: { window.show($0) }).disposed(by: bag)
      searching.asObservable().subscribe(onMain: { window.isSpinning = $0 }).disposed(by: bag)
    }

    static func load(
      _ url: URL, _ isVisible: Observable<Bool>, _ provider: NetworkProvider<CodeHost>, _ window: Window,
      _ bag: DisposeBag
    ) {
      isVisible.distinctUntilChanged()
        .flatMapLatest { isVisible in
          guard isVisible else { return Observable<Data>.empty() }
          return provider.rx.request(.picture(url)).map(\.data).asObservable().catch { _ in .empty() }
        }
        .take(1)
        .subscribe(onMain: { window.picture = $0 })
        .disposed(by: bag)
    }

    static func wait(while isRunning: Bool) throws {
      var waiting = [pollfd(fd: MainQueue.descriptor, events: Int16(POLLIN), revents: 0)]
      while isRunning {
        poll(&waiting, nfds_t(waiting.count), -1)
        if waiting[0].revents != 0 { try MainQueue.drain() }
      }
    }
  }
#endif

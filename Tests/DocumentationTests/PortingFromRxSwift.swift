import Dispatch
import RxLite
import RxLiteTesting
import Testing

private enum Examples {
  final class SearchViewModel {
    let query = PublishRelay<String>()
    let results: Observable<[String]>

    init(search: @escaping @Sendable (String) -> Single<[String]>, scheduler: any SchedulerType) {
      results = query.asObservable()
        .throttle(.milliseconds(500), scheduler: scheduler)
        .distinctUntilChanged()
        .flatMapLatest { search($0).catchAndReturn([]) }
        .share(replay: 1, scope: .whileConnected)
    }
  }

  struct Screen {
    func driver(of results: Observable<[String]>) -> Infallible<[String]> {
      results.observe(on: MainScheduler.instance).asInfallible(onErrorJustReturn: []).share(replay: 1)
    }
  }
}

@Suite("Examples in Porting from RxSwift", .timeLimit(.minutes(5)))
struct PortingFromRxSwiftTests {
  private typealias SearchViewModel = Examples.SearchViewModel

  @Test("a view model is tested as in RxSwift")
  func viewModel() {
    let scheduler = TestScheduler(initialClock: 0)
    let typed = scheduler.createHotObservable([.next(210, "a"), .next(220, "ab"), .completed(300)])
    let model = SearchViewModel(search: { .just([$0]) }, scheduler: scheduler)
    let binding = typed.bind(to: model.query)
    let found = scheduler.start { model.results }
    #expect(found.events == [.next(210, ["a"]), .next(220, ["ab"])])
    binding.dispose()
  }

  @Test("a driver's uses compile and replace errors", .timeLimit(.minutes(5)))
  func driver() async {
    for await names in Examples.Screen().driver(of: .error(RxError.unknown)).values { #expect(names.isEmpty) }
  }
}

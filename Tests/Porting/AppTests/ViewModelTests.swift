import Foundation
import Moya
import RxBlocking
import RxMoya
import RxRelay
import RxSwift
import RxTest
import XCTest

@testable import App

final class ViewModelTests: XCTestCase {
  private var scheduler: TestScheduler!
  private var disposeBag: DisposeBag!

  override func setUp() {
    super.setUp()
    scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
    disposeBag = DisposeBag()
  }

  override func tearDown() {
    disposeBag = nil
    scheduler = nil
    super.tearDown()
  }

  private func provider(status: Int = 200, spy: SpyPlugin = SpyPlugin()) -> MoyaProvider<GitHubAPI> {
    let endpointClosure = { (target: GitHubAPI) -> Endpoint in
      return Endpoint(
        url: URL(target: target).absoluteString,
        sampleResponseClosure: { .networkResponse(status, target.sampleData) },
        method: target.method,
        task: target.task,
        httpHeaderFields: target.headers)
    }
    return MoyaProvider<GitHubAPI>(
      endpointClosure: endpointClosure, stubClosure: MoyaProvider.immediatelyStub, plugins: [spy])
  }

  func testSearchIsDebouncedAndSwitched() {
    let spy = SpyPlugin()
    let viewModel = SearchViewModel(provider: provider(spy: spy), scheduler: scheduler)
    let query = scheduler.createHotObservable([
      .next(10, "s"), .next(12, "sw"), .next(13, " sw "), .next(30, "swift"), .next(50, ""),
    ])
    let output = viewModel.transform(.init(query: query.asObservable(), retry: .never()))

    let names = scheduler.createObserver([String].self)
    let loading = scheduler.createObserver(Bool.self)
    output.repositories.map { $0.map { $0.fullName } }.subscribe(names).disposed(by: disposeBag)
    output.isLoading.subscribe(loading).disposed(by: disposeBag)
    scheduler.start()

    XCTAssertEqual(names.events, [.next(15, ["found/sw"]), .next(33, ["found/swift"]), .next(53, [])])
    XCTAssertEqual(
      loading.events,
      [.next(0, false), .next(15, true), .next(15, false), .next(33, true), .next(33, false)])
    XCTAssertEqual(spy.events.count, 4)
    XCTAssertEqual(spy.events.first, "send GET https://api.github.com/search/repositories?q=sw")
  }

  func testSearchReportsErrorsAndGoesOn() {
    let viewModel = SearchViewModel(provider: provider(status: 500), scheduler: scheduler)
    let query = scheduler.createHotObservable([.next(10, "a")])
    let retry = scheduler.createHotObservable([.next(20, ())])
    let output = viewModel.transform(.init(query: query.asObservable(), retry: retry.asObservable()))

    let errors = scheduler.createObserver(String.self)
    output.error.bind(to: errors).disposed(by: disposeBag)
    output.repositories.subscribe().disposed(by: disposeBag)
    scheduler.start()

    XCTAssertEqual(errors.events, [.next(13, "status 500"), .next(20, "status 500")])
  }

  func testPagesAreLoadedUntilOneIsEmpty() throws {
    let viewModel = RepositoryListViewModel(user: "ash", provider: provider())
    for _ in 0..<4 { viewModel.nextPage.accept(()) }
    XCTAssertEqual(viewModel.repositories.value.map { $0.id }, [1, 11, 2, 12])
    XCTAssertTrue(try viewModel.finished.value())
  }

  func testLogin() {
    let viewModel = LoginViewModel(provider: MoyaProvider<AuthAPI>(stubClosure: MoyaProvider.immediatelyStub))
    let canLogin = scheduler.createObserver(Bool.self)
    viewModel.canLogin.subscribe(canLogin).disposed(by: disposeBag)
    var tokens: [Tokens] = []
    viewModel.result
      .subscribe(onNext: { result in
        if case let .success(found) = result { tokens.append(found) }
      })
      .disposed(by: disposeBag)

    scheduler.scheduleAt(10) { viewModel.user.accept("ash") }
    scheduler.scheduleAt(20) { viewModel.password.accept("secret") }
    scheduler.scheduleAt(30) { viewModel.tap.onNext(()) }
    scheduler.start()

    XCTAssertEqual(canLogin.events, [.next(0, false), .next(20, true)])
    XCTAssertEqual(tokens, [Tokens(access: "new", refresh: "next")])
  }

  func testUploadEndsWithTheResponse() throws {
    let viewModel = UploadViewModel(data: Data("png".utf8), provider: provider(status: 201))
    XCTAssertEqual(try viewModel.finished.toBlocking().toArray(), [201])
    XCTAssertTrue(try viewModel.progress.toBlocking().toArray().allSatisfy { $0 <= 1 })
  }

  func testProfile() {
    let loader = ProfileLoader(provider: MoyaProvider<MultiTarget>(stubClosure: MoyaProvider.immediatelyStub))
    loader.load("ash")
    XCTAssertEqual(loader.state, .loaded(Profile(login: "ash", id: 100, avatarUrl: nil)))
  }
}

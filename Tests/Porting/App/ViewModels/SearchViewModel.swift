import Foundation
import Moya
import RxMoya
import RxRelay
import RxSwift

final class SearchViewModel {
  struct Input {
    let query: Observable<String>
    let retry: Observable<Void>
  }

  struct Output {
    let repositories: Observable<[Repository]>
    let isLoading: Observable<Bool>
    let error: Observable<String>
  }

  private let provider: MoyaProvider<GitHubAPI>
  private let scheduler: SchedulerType
  private let loading = BehaviorRelay(value: false)
  private let failure = PublishRelay<String>()

  init(provider: MoyaProvider<GitHubAPI>, scheduler: SchedulerType = MainScheduler.instance) {
    self.provider = provider
    self.scheduler = scheduler
  }

  func transform(_ input: Input) -> Output {
    let query = input.query
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .distinctUntilChanged()
      .debounce(.milliseconds(300), scheduler: scheduler)
    let trigger = Observable.merge(query, input.retry.withLatestFrom(query))
    let repositories =
      trigger
      .flatMapLatest { [weak self] text -> Observable<[Repository]> in
        guard let self = self, !text.isEmpty else { return .just([]) }
        return self.provider.rx.request(.search(query: text))
          .asObservable()
          .mapRepositories()
          .do(
            onSubscribe: { [weak self] in self?.loading.accept(true) },
            onDispose: { [weak self] in self?.loading.accept(false) }
          )
          .catch { [weak self] error in
            self?.failure.accept((error as? MoyaError)?.userMessage ?? "unknown")
            return .empty()
          }
      }
      .share(replay: 1, scope: .whileConnected)
    return Output(
      repositories: repositories, isLoading: loading.asObservable().distinctUntilChanged(),
      error: failure.asObservable())
  }
}

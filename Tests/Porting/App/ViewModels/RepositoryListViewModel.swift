import Foundation
import Moya
import RxMoya
import RxRelay
import RxSwift

/// Loads page after page until a page is empty.
final class RepositoryListViewModel {
  let nextPage = PublishRelay<Void>()
  let repositories = BehaviorRelay<[Repository]>(value: [])
  let finished = BehaviorSubject<Bool>(value: false)

  private let disposeBag = DisposeBag()

  init(user: String, provider: MoyaProvider<GitHubAPI>) {
    nextPage
      .scan(0) { page, _ in page + 1 }
      .concatMap { page in
        provider.rx.request(.repositories(user: user, page: page))
          .filterSuccessfulStatusCodes()
          .map([Repository].self)
          .catchAndReturn([])
      }
      .take(until: { $0.isEmpty }, behavior: .inclusive)
      .subscribe(
        onNext: { [repositories] page in repositories.accept(repositories.value + page) },
        onCompleted: { [finished] in finished.onNext(true) }
      )
      .disposed(by: disposeBag)
  }
}

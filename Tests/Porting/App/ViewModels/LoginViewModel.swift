import Foundation
import Moya
import RxMoya
import RxRelay
import RxSwift

final class LoginViewModel {
  let user = BehaviorRelay(value: "")
  let password = BehaviorRelay(value: "")
  let tap = PublishSubject<Void>()

  let canLogin: Observable<Bool>
  let result: Observable<Result<Tokens, Error>>

  init(provider: MoyaProvider<AuthAPI>) {
    let fields = Observable.combineLatest(user, password)
    canLogin = fields.map { !$0.isEmpty && $1.count >= 3 }.distinctUntilChanged().share(replay: 1)
    result =
      tap
      .withLatestFrom(fields)
      .flatMapFirst { user, password in
        provider.rx.request(.login(user: user, password: password))
          .filterSuccessfulStatusCodes()
          .mapAPIFailure()
          .map(Tokens.self)
          .map { Result<Tokens, Error>.success($0) }
          .catch { .just(.failure($0)) }
          .asObservable()
      }
      .share()
  }
}

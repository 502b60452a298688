import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
import Moya
import RxMoya
import RxRelay
import RxSwift

/// Refreshes the token when the server refuses it, once for all waiting requests.
final class TokenRefresher {
  let token = BehaviorRelay<String>(value: "old")
  private let provider: MoyaProvider<AuthAPI>
  private lazy var refreshing: Observable<String> = provider.rx.request(.refresh(token: token.value))
    .filterSuccessfulStatusCodes()
    .map(Tokens.self)
    .map { $0.access }
    .do(onSuccess: { [token] in token.accept($0) })
    .asObservable()
    .share()

  init(provider: MoyaProvider<AuthAPI>) {
    self.provider = provider
  }

  func authorized<T>(_ request: Single<T>) -> Single<T> {
    return request.retry(when: { [unowned self] (errors: Observable<Error>) in
      errors.enumerated().flatMap { attempt, error -> Observable<String> in
        guard attempt == 0, let error = error as? MoyaError, error.isUnauthorized else {
          return .error(error)
        }
        return self.refreshing
      }
    })
  }
}

/// The same, as an interceptor.
final class TokenInterceptor: RequestInterceptor {
  private let token: () -> String

  init(token: @escaping () -> String) {
    self.token = token
  }

  func adapt(
    _ urlRequest: URLRequest, for session: Session, completion: @escaping (Result<URLRequest, Error>) -> Void
  ) {
    var urlRequest = urlRequest
    urlRequest.headers.add(.authorization(bearerToken: token()))
    completion(.success(urlRequest))
  }

  func retry(
    _ request: Request, for session: Session, dueTo error: Error, completion: @escaping (RetryResult) -> Void
  ) {
    guard let response = request.response, response.statusCode == 503, request.retryCount < 2 else {
      return completion(.doNotRetryWithError(error))
    }
    completion(.retryWithDelay(0.001))
  }
}

import Foundation
import Moya
import RxMoya
import RxSwift

extension PrimitiveSequence where Trait == SingleTrait, Element == Moya.Response {
  /// Maps a refusal by the server to the application's own error.
  func mapAPIFailure() -> Single<Element> {
    return self.catch { error in
      guard let error = error as? MoyaError, case let .statusCode(response) = error,
        let failure = try? response.map(APIFailure.self)
      else { return .error(error) }
      return .error(failure)
    }
  }
}

extension ObservableType where Element == Moya.Response {
  func mapRepositories() -> Observable<[Repository]> {
    return filterSuccessfulStatusCodes().map([Repository].self, atKeyPath: "items", using: JSONDecoder())
  }
}

extension MoyaError {
  var isUnauthorized: Bool {
    switch self {
    case .statusCode(let response): return response.statusCode == 401
    case .underlying(_, let response?): return response.statusCode == 401
    default: return false
    }
  }

  var userMessage: String {
    switch self {
    case .imageMapping, .jsonMapping, .stringMapping, .objectMapping:
      return "unreadable"
    case .encodableMapping, .requestMapping, .parameterEncoding:
      return "unsendable"
    case .statusCode(let response):
      return "status \(response.statusCode)"
    case .underlying(let error, _):
      return (error as NSError).localizedDescription
    }
  }
}

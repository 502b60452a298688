import Foundation
import MoyaCompatibility
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

enum Library {
  case books(author: String)
  case add(title: String)
}

extension Library: TargetType {
  var baseURL: URL { return URL(string: "https://library.example")! }

  var path: String {
    switch self {
    case .books, .add:
      return "/books"
    }
  }

  var method: Moya.Method {
    switch self {
    case .books:
      return .get
    case .add:
      return .post
    }
  }

  var task: Task {
    switch self {
    case .books(let author):
      return .requestParameters(parameters: ["author": author], encoding: URLEncoding.default)
    case .add(let title):
      return .requestParameters(parameters: ["title": title], encoding: JSONEncoding.default)
    }
  }

  var headers: [String: String]? { return ["Accept": "application/json"] }
  var sampleData: Data { return Data("[]".utf8) }
}

@Suite("Examples in Porting from Moya")
struct PortingFromMoyaTests {
  @Test("targets, a provider and its calls work as in Moya")
  func calls() {
    nonisolated(unsafe) var printed: [String] = []
    @Sendable func print(_ value: Any) { printed.append("\(value)") }
    let bag = DisposeBag()

    let provider = MoyaProvider<Library>(
      endpointClosure: { (target: Library) -> Endpoint in
        let endpoint = MoyaProvider.defaultEndpointMapping(for: target)
        return endpoint.adding(newHTTPHeaderFields: ["X-App": "Shelf"])
      },
      stubClosure: MoyaProvider.immediatelyStub,
      plugins: [NetworkLoggerPlugin(configuration: .init(logOptions: .verbose))])

    provider.request(.books(author: "Lem")) { result in
      switch result {
      case .success(let response): print(response.statusCode)
      case .failure(let error): print(error.errorDescription ?? "")
      }
    }

    provider.rx.request(.books(author: "Lem"))
      .filterSuccessfulStatusCodes()
      .mapJSON()
      .subscribe { event in
        switch event {
        case .success(let json): print(json)
        case .failure(let error): print(error)
        }
      }
      .disposed(by: bag)

    #expect(printed.first == "200")
    #expect(printed.count == 2)
  }
}

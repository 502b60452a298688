import Dispatch
import Foundation
import LoopbackServer
import MoyaCompatibility
import NetworkCore
import ObjectMapperCompatibility
import ReactiveNetwork
import RxLite
import Testing

extension Reactive where Base: MoyaProviderType {
  /// Shadows the library's method in this file.
  fileprivate func request(_ token: Base.Target, callbackQueue: DispatchQueue? = nil) -> Single<Response> {
    return Single.create { [weak base] single in
      let cancellableToken = base?.request(token, callbackQueue: callbackQueue, progress: nil) { result in
        switch result {
        case let .success(response):
          single(.success(response))
        case let .failure(error):
          single(.error(error))
        }
      }
      return Disposables.create {
        cancellableToken?.cancel()
      }
    }
  }
}

extension Observable {
  /// Creates a model from each dictionary.
  fileprivate func mapObject<T: Mappable>(type: T.Type) -> Observable<T> {
    return self.map { response in
      guard let dict = response as? [String: Any] else {
        throw self.parseError(response: response)
      }
      guard let model = Mapper<T>().map(JSON: dict) else {
        throw self.parseError(response: response)
      }
      return model
    }
  }

  /// Creates the models from each array of dictionaries.
  fileprivate func mapArray<T: Mappable>(type: T.Type) -> Observable<[T]> {
    return self.map { response in
      guard let array = response as? [[String: Any]] else {
        throw self.parseError(response: response)
      }
      return Mapper<T>().mapArray(JSONArray: array)
    }
  }

  private func parseError(response: Any) -> MoyaError {
    if let _response = response as? Response {
      return MoyaError.statusCode(_response)
    }
    let data = try? JSONSerialization.data(withJSONObject: response, options: [])
    let _response = Response(statusCode: 555, data: data ?? Data())
    return MoyaError.statusCode(_response)
  }
}

extension PrimitiveSequence where TraitType == SingleTrait, ElementType == Response {
  fileprivate func mapObjectResponse<T: Mappable>(
    type: T.Type, _ handleResponse: @escaping (Response) -> Void = { _ in }
  ) -> Observable<T> {
    return self.mapResponse(handleResponse).mapObject(type: type)
  }

  fileprivate func mapArrayResponse<T: Mappable>(
    type: T.Type, _ handleResponse: @escaping (Response) -> Void = { _ in }
  ) -> Observable<[T]> {
    return self.mapResponse(handleResponse).mapArray(type: type)
  }

  private func mapResponse(_ handleResponse: @escaping (Response) -> Void) -> Observable<Any> {
    return self.map({ (res) in
      handleResponse(res)
      return res
    })
    .mapJSON()
    .debug()
    .asObservable()
  }
}

private struct HomeModel: Mappable {
  var name = ""
  init?(map: Map) {}
  mutating func mapping(map: Map) { name <- map["name"] }
}

@Suite("Custom extensions", .timeLimit(.minutes(5)))
struct CustomExtensionsTests {
  private let notes = Log()

  private func result(of single: Single<Response>) async -> String {
    switch await single.result() {
    case .success(let response): return "success \(response.statusCode)"
    case .failure(let error): return "failure \((error as? MoyaError)?.response?.statusCode ?? 0)"
    }
  }

  @Test("a custom request is cold, and sends what the provider's closure returns")
  func request() async throws {
    let server = try LoopbackServer { $0.path == "/" ? .text("home") : .status(404) }
    let provider = MoyaProvider<LoopbackTarget>()
    let single = provider.rx.request(LoopbackTarget(server, "/"))
    #expect(server.log.requests.isEmpty)
    #expect(await result(of: single) == "success 200")
    #expect(await result(of: single.filter(statusCode: 404)) == "failure 200")
    #expect(server.log.requests.count == 2)
    let nowhere = provider.rx.request(LoopbackTarget(server, "/")).flatMap { _ -> Single<Response> in
      .error(MoyaError.requestMapping("nowhere"))
    }
    #expect(await result(of: nowhere) == "failure 0")
  }

  @Test("an error reaches the observer of a custom request")
  func requestError() async {
    let provider = MoyaProvider<ForgeAPI>(
      endpointClosure: { _ in
        Endpoint(
          url: "http://[", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
          task: .requestPlain)
      })
    guard case MoyaError.requestMapping("http://[")? = await provider.rx.request(.zen).result().networkError
    else {
      Issue.record("no error, or an unexpected one")
      return
    }
  }

  @Test("disposing a custom request cancels it")
  func dispose() async throws {
    let server = try LoopbackServer { _ in .never }
    let provider = MoyaProvider<LoopbackTarget>()
    let subscription = provider.rx.request(LoopbackTarget(server, "/")).subscribe()
    try await server.log(until: { $0.pending == 1 })
    subscription.dispose()
    try await server.log(until: { $0.abandoned.count == 1 })
  }

  private func model(_ body: Any) throws -> HomeModel {
    try Observable<Any>.just(body).mapObject(type: HomeModel.self).toBlocking().single()
  }

  @Test("a JSON object becomes a model, and anything else an error with a custom status")
  func mapObject() throws {
    #expect(try model(["name": "home"]).name == "home")
    #expect { try model([1, 2]) } throws: { error in
      guard case MoyaError.statusCode(let response) = error else { return false }
      return response.statusCode == 555 && response.data == Data("[1,2]".utf8)
    }
  }

  @Test("a JSON array becomes models, and anything else an error")
  func mapArray() throws {
    let models = Observable<Any>.just([["name": "a"], ["name": "b"]]).mapArray(type: HomeModel.self)
    #expect(try models.toBlocking().single().map(\.name) == ["a", "b"])
    #expect(throws: MoyaError.self) {
      try Observable<Any>.just(["name": "a"]).mapArray(type: HomeModel.self).toBlocking().single()
    }
  }

  @Test("a custom operator on the single receives each response first, and can sign the user out")
  func singleExtension() async throws {
    struct Answer: Decodable { let code: Int }
    let server = try LoopbackServer {
      .json($0.path == "/home" ? #"{"code": 0, "name": "home"}"# : #"{"code": 4000}"#)
    }
    let provider = MoyaProvider<LoopbackTarget>()
    let notes = notes
    let disposeBag = DisposeBag()
    for path in ["/home", "/expired"] {
      await withCheckedContinuation { done in
        provider.rx.request(LoopbackTarget(server, path))
          .mapObjectResponse(type: HomeModel.self) { response in
            if (try? response.map(Answer.self).code) == 4000 { notes.add("signed out") }
          }
          .subscribe(
            onNext: { (model) in
              notes.add("model '\(model.name)'")
            },
            onError: { (err) in
              notes.add("error \(err)")
              done.resume()
            },
            onCompleted: {
              notes.add("completed")
              done.resume()
            }
          ).disposed(by: disposeBag)
      }
    }
    #expect(notes.all == ["model 'home'", "completed", "signed out", "model ''", "completed"])
  }

  @Test("the custom operator for arrays does the same")
  func singleExtensionOfList() async throws {
    let server = try LoopbackServer { _ in .json(#"[{"name": "a"}, {"name": "b"}]"#) }
    let provider = MoyaProvider<LoopbackTarget>()
    let models = try await provider.rx.request(LoopbackTarget(server, "/"))
      .mapArrayResponse(type: HomeModel.self).asSingle().map { $0.map(\.name) }.result().get()
    #expect(models == ["a", "b"])
  }
}

import Foundation
import NetworkCore
import ObjectMapperCompatibility
import ReactiveNetwork
import RxLite
import Testing

private struct User: Mappable, Equatable {
  var name = ""

  init(name: String) { self.name = name }
  init?(map: Map) {
    if map.JSON["name"] == nil { return nil }
  }

  mutating func mapping(map: Map) { name <- map["name"] }
}

@Suite("mapObject and mapArray on sequences", .timeLimit(.minutes(5)))
struct MappableOperatorTests {
  private func answer(_ json: String) -> Single<Response> {
    .just(Response(statusCode: 200, data: Data(json.utf8)))
  }

  @Test("create values, also from a key path")
  func values() throws {
    let one = answer(#"{"user":{"name":"ash"}}"#)
    let many = answer(#"[{"name":"a"},{"name":"b"},{}]"#)
    let ash = User(name: "ash")
    let both = [User(name: "a"), User(name: "b")]
    #expect(try one.mapObject(User.self, atKeyPath: "user").toBlocking().single() == ash)
    #expect(try one.mapObject(type: User.self, atKeyPath: "user").toBlocking().single() == ash)
    #expect(try many.mapArray(User.self).toBlocking().single() == both)
    #expect(try many.mapArray(type: User.self).toBlocking().single() == both)
    #expect(try one.asObservable().mapObject(User.self, atKeyPath: "user").toBlocking().toArray() == [ash])
    #expect(
      try one.asObservable().mapObject(type: User.self, atKeyPath: "user").toBlocking().toArray() == [ash])
    #expect(try many.asObservable().mapArray(User.self).toBlocking().toArray() == [both])
    #expect(try many.asObservable().mapArray(type: User.self).toBlocking().toArray() == [both])
  }

  @Test("create arrays from a key path")
  func arraysAtKeyPath() throws {
    let users = answer(#"{"users":[{"name":"a"},{},{"name":"b"}]}"#)
    let both = [User(name: "a"), User(name: "b")]
    #expect(try users.mapArray(User.self, atKeyPath: "users").toBlocking().single() == both)
    #expect(try users.mapArray(type: User.self, atKeyPath: "users").toBlocking().single() == both)
    let sequence = users.asObservable()
    #expect(try sequence.mapArray(User.self, atKeyPath: "users").toBlocking().toArray() == [both])
    #expect(try sequence.mapArray(type: User.self, atKeyPath: "users").toBlocking().toArray() == [both])
  }

  @Test("fail with the response's error if the body cannot be mapped")
  func failures() {
    let single = answer("[]").mapObject(User.self).toBlocking()
    let error = #expect(throws: NetworkError.self) { try single.single() }
    guard case .jsonMapping? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let observable = answer("{}").asObservable().mapObject(User.self).toBlocking()
    let refused = #expect(throws: NetworkError.self) { try observable.single() }
    guard case .objectMapping(let reason, _)? = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect((reason as? MappingError)?.type == "User")
  }
}

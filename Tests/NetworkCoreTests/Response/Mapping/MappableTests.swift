import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import ObjectMapperCompatibility
import Testing

private struct Address: Mappable, Equatable {
  var city = ""

  init?(map: Map) {
    guard map["city"].isKeyPresent else { return nil }
  }

  mutating func mapping(map: Map) { city <- map["city"] }
}

private enum Role: String { case admin, guest }

private struct User: Mappable {
  var name = "nobody"
  var age = -1
  var score = 0.0
  var weight: Float?
  var isActive = false
  var nickname: String? = "nick"
  var city = ""
  var first = ""
  var dotted = 0
  var slashed = ""
  var whole = 0
  var role = Role.guest
  var roles: [Role]?
  var home: Address?
  var places: [Address] = []
  var named: [String: Address] = [:]
  var matrix: [[Int]] = []
  var big: UInt64 = 0
  var small: Int8 = 0
  var joined: Date?
  var left: Date? = Date(timeIntervalSince1970: 0)
  var updated = Date(timeIntervalSince1970: 0)
  var links: [URL] = []
  var anything: Any?

  init?(map: Map) {}

  mutating func mapping(map: Map) {
    name <- map["name"]
    age <- map["age"]
    score <- map["score"]
    weight <- map["weight"]
    isActive <- map["active"]
    nickname <- map["nickname"]
    city <- map["home.city"]
    first <- map["tags.0"]
    dotted <- map["a.b", nested: false]
    slashed <- map["home/city", delimiter: "/"]
    whole <- map["a.b", delimiter: ""]
    role <- map["role"]
    roles <- map["roles"]
    home <- map["home"]
    places <- map["places"]
    named <- map["named"]
    matrix <- map["matrix"]
    big <- map["big"]
    small <- map["small"]
    joined <- (map["joined"], ISO8601DateTransform())
    left <- (map["left"], ISO8601DateTransform())
    updated <- (map["updated"], DateTransform(unit: .milliseconds))
    links <- (map["links"], URLTransform())
    anything <- map["anything"]
  }
}

@Suite("Mappable")
struct MappableTests {
  private let text = """
    {"name":"ash","age":10,"score":1.5,"weight":0.1,"active":true,"nickname":null,
     "home":{"city":"Pallet"},"tags":["x"],"a.b":7,"role":"admin","roles":["guest","admin"],
     "places":[{"city":"A"},{"town":"B"}],"named":{"k":{"city":"C"},"refused":{"town":"D"}},"matrix":[[1],[2,3]],
     "big":18446744073709551615,"small":-128,"joined":"2001-01-01T00:02:03Z","updated":1500,
     "links":["http://h/x"],"anything":{"deep":[1]}}
    """

  @Test("members of all types are read")
  func reads() throws {
    let user = try #require(User(JSONString: text))
    #expect(user.name == "ash")
    #expect(user.age == 10)
    #expect(user.score == 1.5)
    #expect(user.weight == 0.1)
    #expect(user.isActive)
    #expect(user.nickname == nil)
    #expect(user.city == "Pallet")
    #expect(user.first == "x")
    #expect(user.dotted == 7)
    #expect(user.slashed == "Pallet")
    #expect(user.whole == 7)
    #expect(user.role == .admin)
    #expect(user.roles == [.guest, .admin])
    #expect(user.home?.city == "Pallet")
    #expect(user.places.map(\.city) == ["A"])
    #expect(user.named.mapValues(\.city) == ["k": "C"])
    #expect(user.matrix == [[1], [2, 3]])
    #expect(user.big == .max)
    #expect(user.small == -128)
    #expect(user.joined == Date(timeIntervalSinceReferenceDate: 123))
    #expect(user.updated == Date(timeIntervalSince1970: 1.5))
    #expect(user.links.map(\.absoluteString) == ["http://h/x"])
    #expect((user.anything as? [String: Any])?["deep"] != nil)
  }

  @Test("missing keys change nothing")
  func missing() throws {
    let user = try #require(User(JSON: [:]))
    #expect(user.name == "nobody")
    #expect(user.nickname == "nick")
    #expect(user.home == nil)
    #expect(user.left == Date(timeIntervalSince1970: 0))
    #expect(user.updated == Date(timeIntervalSince1970: 0))
  }

  @Test("a value that does not match sets optionals to nil and changes no other member")
  func misfits() throws {
    let user = try #require(
      User(
        JSONString: """
          {"name":1,"age":"10","score":"x","nickname":3,"active":2,"role":"boss","roles":["boss"],"home":{"x":1},
           "places":3,"matrix":[[1],["x"]],"big":-1,"small":128,"joined":"soon","left":"soon","updated":null,"links":"http://h",
           "tags":{"0":"x"},"named":[]}
          """))
    #expect(user.name == "nobody")
    #expect(user.age == -1)
    #expect(user.score == 0)
    #expect(user.nickname == nil)
    #expect(!user.isActive)
    #expect(user.role == .guest)
    #expect(user.roles == nil)
    #expect(user.home == nil)
    #expect(user.places.isEmpty)
    #expect(user.matrix.isEmpty)
    #expect(user.big == 0)
    #expect(user.small == 0)
    #expect(user.joined == nil)
    #expect(user.left == nil)
    #expect(user.updated == Date(timeIntervalSince1970: 0))
    #expect(user.links.isEmpty)
    #expect(user.first == "x")
    #expect(user.named.isEmpty)
  }

  @Test("an array skips elements that its transform refuses")
  func refusedElements() throws {
    let user = try #require(User(JSONString: #"{"links":["http://h/a",3,"http://h/b"]}"#))
    #expect(user.links.map(\.absoluteString) == ["http://h/a", "http://h/b"])
  }

  @Test(
    "an array with a transform keeps its value if its key is missing or the value is no array",
    arguments: ["{}", #"{"links":3}"#, #"{"links":null}"#])
  func keptArray(text: String) throws {
    struct Page: Mappable {
      var links = [URL(filePath: "/old")]

      init?(map: Map) {}

      mutating func mapping(map: Map) { links <- (map["links"], URLTransform()) }
    }
    #expect(try #require(Page(JSONString: text)).links == [URL(filePath: "/old")])
  }

  @Test(
    "booleans are read, also from 0 and 1",
    arguments: [("false", false), ("true", true), ("0", false), ("1", true)])
  func booleans(json: String, value: Bool) throws {
    struct Setting: Mappable {
      var isOn: Bool?

      init?(map: Map) {}

      mutating func mapping(map: Map) { isOn <- map["on"] }
    }
    #expect(try #require(Setting(JSONString: #"{"on":\#(json)}"#)).isOn == value)
  }

  @Test("a key is present even if its value is null")
  func presentKeys() throws {
    struct KeyFinder: Mappable {
      let found: [String]

      init?(map: Map) {
        found = ["a", "b", "c.d", "c.e"].filter { map[$0].isKeyPresent }
      }

      mutating func mapping(map: Map) {}
    }
    let finder = try #require(KeyFinder(JSONString: #"{"a":null,"c":{"d":null}}"#))
    #expect(finder.found == ["a", "c.d"])
  }

  @Test("a map returns the value at its position, converted to a type")
  func convertedValue() throws {
    struct Visit: Mappable {
      let role: Role?
      let city: String?
      let count: Int?

      init?(map: Map) {
        role = map["role"].value(as: Role.self)
        city = map["home"].value(as: Address.self)?.city
        count = map["role"].value(as: Int.self)
      }

      mutating func mapping(map: Map) {}
    }
    let visit = try #require(Visit(JSONString: #"{"role":"admin","home":{"city":"A"}}"#))
    #expect(visit.role == .admin)
    #expect(visit.city == "A")
    #expect(visit.count == nil)
  }

  @Test("a key is looked up in the value at the position to which it is applied")
  func relativePosition() throws {
    struct Visit: Mappable {
      let city: String?

      init?(map: Map) { city = map["home"]["address.city"].value(as: String.self) }

      mutating func mapping(map: Map) {}
    }
    let text = #"{"home":{"address":{"city":"A"}},"address":{"city":"B"}}"#
    #expect(try #require(Visit(JSONString: text)).city == "A")
  }

  @Test("a number is read as a decimal")
  func decimal() throws {
    struct Price: Mappable {
      var amount = Decimal(0)

      init?(map: Map) {}

      mutating func mapping(map: Map) { amount <- map["amount"] }
    }
    #expect(try #require(Price(JSONString: #"{"amount":12}"#)).amount == Decimal(12))
  }

  @Test("the keys of a dictionary are read and written as raw values")
  func keysWithRawValues() throws {
    struct Team: Mappable {
      var members: [Role: String] = [:]

      init?(map: Map) {}

      mutating func mapping(map: Map) { members <- map["members"] }
    }
    let team = try #require(Team(JSONString: #"{"members":{"admin":"ash"}}"#))
    #expect(team.members == [.admin: "ash"])
    #expect(team.toJSON()["members"] as? [String: String] == ["admin": "ash"])
  }

  @Test("a dictionary with one value of another type changes nothing")
  func mixedDictionary() throws {
    struct Counts: Mappable {
      var values = ["old": 1]

      init?(map: Map) {}

      mutating func mapping(map: Map) { values <- map["values"] }
    }
    let counts = try #require(Counts(JSONString: #"{"values":{"a":1,"b":"x"}}"#))
    #expect(counts.values == ["old": 1])
  }

  @Test("an integer is read exactly or not at all")
  func integers() throws {
    for (json, expected) in [("1e3", 1000), ("1.0", 1), ("1.5", -1), ("1e300", -1), ("-0", 0), ("true", -1)] {
      // On some platforms, Foundation treats a boolean as a number; it must not trap.
      let age = try #require(User(JSONString: #"{"age":\#(json)}"#)).age
      if json != "true" { #expect(age == expected) }
    }
  }

  @Test("members are written in the form in which they are read")
  func writes() throws {
    let user = try #require(User(JSONString: text))
    let written = try #require(user.toJSONString())
    let tree = try JSONValue(parsing: Data(written.utf8))
    let original = try JSONValue(parsing: Data(text.utf8))
    for name in [
      "name", "age", "score", "active", "role", "roles", "matrix", "small", "joined", "links",
      "home", "a.b",
    ] {
      #expect(tree[name] == original[name])
    }
    #expect(tree.places == .array([.object(["city": "A"])]))
    #expect(tree.named == .object(["k": .object(["city": "C"])]))
    #expect(tree.nickname == .null)
    #expect(tree.object?.keys.contains("nickname") == false)
    #expect(tree.updated.int == 1500)
    #expect(user.toJSONString(prettyPrint: true)?.contains("\n") == true)
  }

  @Test("members with a common path are written to the same object")
  func membersOfOneObject() throws {
    struct Pair: Mappable {
      var first = "1"
      var second = "2"

      init?(map: Map) {}

      mutating func mapping(map: Map) {
        first <- map["pair.first"]
        second <- map["pair.second"]
      }
    }
    let pair = try #require(Pair(JSON: [:]))
    let written = pair.toJSON()["pair"] as? [String: String]
    #expect(written == ["first": "1", "second": "2"])
  }

  @Test("a mapper indents the text if requested", arguments: [false, true])
  func mapper(isIndented: Bool) throws {
    let address = try #require(Address(JSON: ["city": "A"]))
    let text = try #require(Mapper<Address>().toJSONString(address, prettyPrint: isIndented))
    #expect(text.contains("\n") == isIndented)
  }

  @Test("a mapper writes the objects of an array in their order")
  func mapperOfArray() throws {
    let addresses = try ["B", "A"].map { try #require(Address(JSON: ["city": $0])) }
    #expect(Mapper<Address>().toJSONArray(addresses).map { $0["city"] as? String } == ["B", "A"])
    let address = try #require(Mapper<Address>().map(JSONString: #"{"city":"C"}"#))
    #expect(Mapper<Address>().toJSON(address)["city"] as? String == "C")
  }

  @Test("the text of an object has sorted keys", arguments: [false, true])
  func sortedKeys(isIndented: Bool) throws {
    struct Letters: Mappable {
      var values = Array(repeating: 0, count: 12)

      init?(map: Map) {}

      mutating func mapping(map: Map) {
        for (index, name) in "abcdefghijkl".enumerated() { values[index] <- map[String(name)] }
      }
    }
    let letters = try #require(Letters(JSON: [:]))
    let text = try #require(letters.toJSONString(prettyPrint: isIndented))
    #expect(text.filter(\.isLetter) == "abcdefghijkl")
  }

  @Test("a transform of closures receives nil if the JSON has another type")
  func transformOf() {
    let doubled = TransformOf<Int, String>(
      fromJSON: { $0.flatMap { Int($0) } }, toJSON: { $0.map { "\($0)" } })
    #expect(doubled.transformFromJSON("3") == 3)
    #expect(doubled.transformFromJSON(3) == nil)
    #expect(doubled.transformToJSON(3) == "3")
    #expect(DateTransform().transformFromJSON("1.5") == Date(timeIntervalSince1970: 1.5))
    #expect(DateTransform().transformFromJSON("inf") == nil)
    #expect(
      ISO8601DateTransform().transformFromJSON("2001-01-01T01:00:00.500+01:00")
        == Date(timeIntervalSinceReferenceDate: 0.5))
  }

  @Test("a value that JSON cannot represent has no text")
  func unwritable() throws {
    var user = try #require(User(JSON: [:]))
    user.score = .nan
    #expect(user.toJSONString() == nil)
  }

  @Test("an object that is nested too deeply has no text", arguments: [(499, true), (505, false)])
  func deep(depth: Int, hasText: Bool) throws {
    var user = try #require(User(JSON: [:]))
    var nested: [Any] = []
    for _ in 1..<depth { nested = [nested] }
    user.anything = nested
    #expect((user.toJSONString() != nil) == hasText)
  }
}

@Suite("Mapping a response to Mappable values")
struct ResponseMappableTests {
  private func response(_ text: String) -> Response { Response(statusCode: 200, data: Data(text.utf8)) }

  @Test("reads an object or an array, also at a key path")
  func maps() throws {
    #expect(try response(#"{"city":"A"}"#).mapObject(type: Address.self).city == "A")
    #expect(try response(#"{"d":[{"city":"A"}]}"#).mapObject(Address.self, atKeyPath: "d.0").city == "A")
    #expect(try response(#"[{"city":"A"},{}]"#).mapArray(type: Address.self).map(\.city) == ["A"])
    #expect(try response(#"{"d":{"e":[]}}"#).mapArray(Address.self, atKeyPath: "d.e").isEmpty)
  }

  @Test(
    "anything else is a JSON error with the response", arguments: ["", "[1", "1", "[[]]", "[1]", #"{"d":1}"#])
  func refuses(text: String) {
    let response = response(text)
    for keyPath in [nil, "d.e"] {
      let error = #expect(throws: NetworkError.self) {
        _ = try response.mapArray(type: Address.self, atKeyPath: keyPath)
      }
      guard case .jsonMapping(let refused)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(refused === response)
    }
    let error = #expect(throws: NetworkError.self) {
      try response.mapObject(type: Address.self, atKeyPath: "d")
    }
    guard case .jsonMapping? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("an index that is not in an array is a JSON error", arguments: ["d.-1", "d.1", "d.x"])
  func missingElement(keyPath: String) throws {
    let response = response(#"{"d":[{"city":"A"}]}"#)
    let error = #expect(throws: NetworkError.self) {
      try response.mapObject(type: Address.self, atKeyPath: keyPath)
    }
    guard case .jsonMapping? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("an object that its type refuses is an error that names the type")
  func refused() {
    let error = #expect(throws: NetworkError.self) { try response("{}").mapObject(type: Address.self) }
    guard case .objectMapping(let cause as MappingError, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause.localizedDescription == "Address.init(map:) refused the JSON object.")
  }
}

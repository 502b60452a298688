import MoyaCompatibility
import ObjectMapperCompatibility
import Testing

private enum Club: TargetType {
  case readers

  var baseURL: URL { URL(string: "https://club.example")! }
  var path: String { "/readers" }
  var sampleData: Data {
    Data(#"{"readers": [{"name": "ash", "membership": {"since": "2001-01-01T00:02:03Z"}}, {}]}"#.utf8)
  }
}

private struct Reader: Mappable {
  var name = ""
  var since: Date?

  init?(map: Map) {
    if map.JSON["name"] == nil { return nil }
  }

  mutating func mapping(map: Map) {
    name <- map["name"]
    since <- (map["membership.since"], ISO8601DateTransform())
  }
}

@Suite("Examples in Porting from ObjectMapper")
struct PortingFromObjectMapperTests {
  @Test("a response becomes the objects that their type accepts")
  func readers() throws {
    let provider = MoyaProvider<Club>(stubClosure: MoyaProvider.immediatelyStub)

    let readers = provider.rx.request(.readers).mapArray(Reader.self, atKeyPath: "readers")

    let found = try readers.toBlocking().single()
    #expect(found.map(\.name) == ["ash"])
    #expect(found.first?.since == Date(timeIntervalSinceReferenceDate: 123))
  }
}

import Foundation
import RxLite
import Testing

@Suite("decode(type:decoder:)")
struct DecodeTests {
  struct Person: Decodable, Equatable { let name: String }

  @Test("each element is decoded until one cannot be decoded")
  func decodes() {
    let probe = Probe<Person>()
    _ = Observable.of(#"{"name":"Ada"}"#, "{}", #"{"name":"Grace"}"#).map { Data($0.utf8) }
      .decode(type: Person.self, decoder: JSONDecoder()).subscribe(probe)
    #expect(probe.elements == [Person(name: "Ada")])
    #expect(probe.events.count == 2)
    #expect(probe.events.last?.error is DecodingError)
  }
}

import Foundation
import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("decode(type:decoder:)")
struct DecodeTests {
  struct Person: Decodable, Equatable { let name: String }

  @Test("each element is decoded until one cannot be decoded")
  func decodes() {
    let recorder = RecordingObserver<Person>()
    _ = Observable.of(#"{"name":"Ada"}"#, "{}", #"{"name":"Grace"}"#).map { Data($0.utf8) }
      .decode(type: Person.self, decoder: JSONDecoder()).subscribe(recorder)
    #expect(recorder.elements == [Person(name: "Ada")])
    #expect(recorder.events.count == 2)
    #expect(recorder.events.last?.error is DecodingError)
  }
}

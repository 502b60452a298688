// Property: the text at a key path is the one that a walk through the tree of JSONSerialization finds.
import Foundation
@testable import NetworkCore
import NetworkCoreTransport

@Sendable func testJSON(_ input: FuzzInput) throws {
  var input = input
  let path = input.line()
  let data = Data(input.rest)
  let response = Response(
    head: ResponseHead(statusCode: 200, url: "http://h/", headers: [:]), data: data, request: nil,
    metrics: nil)
  let tree = try? response.mapJSON()
  let found = try? response.mapString(atKeyPath: path)
  if let tree {
    var value: Any? = tree
    for name in path.split(separator: ".") { value = (value as? [String: Any])?[String(name)] }
    // JSONSerialization drops a byte order mark at the beginning of a string, and after an escape in it.
    let withoutMarks = { (text: String) in String(text.unicodeScalars.filter { $0 != "\u{FEFF}" }) }
    try requireEqual(found.map(withoutMarks), (value as? String).map(withoutMarks), "at \(path)")
  }
  // Otherwise there may still be a text, because Foundation's decoder checks only the numbers that it decodes.
  _ = try? response.map([String: [Double]].self, atKeyPath: path, failsOnEmptyData: false)
}

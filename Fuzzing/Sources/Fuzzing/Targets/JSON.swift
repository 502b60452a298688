// Property: the text, or the list of texts, at a key path is what a walk through the tree of
// JSONSerialization finds; a body with nothing there is an error, or is decoded as a whole, as the caller
// wants.
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
  // JSONSerialization drops a byte order mark at the beginning of a text or name, and after an escape in it.
  let text = path + input.text
  if let tree, !text.lowercased().contains("feff"), !text.unicodeScalars.contains("\u{FEFF}") {
    var value: Any? = tree
    for name in path.split(separator: ".") { value = (value as? [String: Any])?[String(name)] }
    try requireEqual(found, value as? String, "at \(path)")
    try checkValue(value, at: path, response)
  }
  // Otherwise there may still be a text, because Foundation's decoder checks only the numbers that it decodes.
  _ = try? response.map([String: [Double]].self, atKeyPath: path, failsOnEmptyData: false)
}

private func checkValue(_ value: Any?, at path: String, _ response: Response) throws {
  let texts = try? response.map([String].self, atKeyPath: path)
  try requireEqual(texts, value as? [String], "texts at \(path)")
  if value == nil {
    let found = try? response.map(Anything.self, atKeyPath: path)
    try require(found == nil, "something is at \(path)")
    let body = try? JSONDecoder().decode(Anything.self, from: response.data)
    let whole = try? response.map(Anything.self, atKeyPath: path, failsOnEmptyData: false)
    try requireEqual(whole != nil, body != nil, "the body as a whole")
  }
}

/// A value of any type.
private struct Anything: Decodable {
  init(from decoder: any Decoder) throws {}
}

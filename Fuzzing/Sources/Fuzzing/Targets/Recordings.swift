// Property: a recording, and a stored response of the cache, whose file is valid is the same after it is
// written and read again; a recording's head has its fields; a stored response of which a byte has changed is
// not read; and no file stops the process, whatever is in it.
import Foundation
@testable import NetworkCore
@testable import NetworkCoreTransport

@Sendable func testRecordings(_ input: FuzzInput) throws {
  let data = Data(input.rest)
  if let exchange = try? JSONDecoder().decode(RecordedExchange.self, from: data) {
    let written = try encoder.encode(exchange)
    let again = try JSONDecoder().decode(RecordedExchange.self, from: written)
    try requireEqual(try encoder.encode(again), written, "a recording")
    try requireEqual(again.body, exchange.body, "the body")
    let head = exchange.head(for: TransportRequest(method: .get, url: exchange.request.url))
    _ = head.httpURLResponse
    try requireEqual(head.statusCode, exchange.statusCode, "the status")
    try requireEqual(head.url, exchange.url, "the URL")
    try requireEqual(head.headers.map(\.name), exchange.headers.map(\.name), "the names of the fields")
    for (field, recorded) in zip(head.headers, exchange.headers)
    where exchange.webSocket == nil && !field.isNamed("link") {
      try requireEqual(field.value, recorded.value, field.name)
    }
    if exchange.data == nil { try requireEqual(exchange.body, Data((exchange.text ?? "").utf8), "the text") }
  }
  _ = CacheFileFormat.response(data)
  try checkStored(input)
}

// A checksum protects the file, so the bytes are the metadata, and the checksum is added.
private func checkStored(_ input: FuzzInput) throws {
  var input = input
  let metadata = Data(input.lineBytes())
  let body = Data(input.rest)
  var file = Data("RNC1".utf8)
  for (number, count) in [
    (UInt64(metadata.count), 4), (UInt64(body.count), 8), (CacheFileFormat.digest(metadata, body), 8),
  ] {
    for index in 0..<count { file.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
  }
  file += metadata + body
  guard let stored = CacheFileFormat.response(file) else { return }
  let times = 0...253_402_300_799.0
  try require(
    times.contains(stored.metadata.requestTime) && times.contains(stored.metadata.responseTime), "the times")
  var damaged = file
  damaged[Int(CacheFileFormat.digest(metadata, body) % UInt64(file.count))] ^= 0x10
  try require(CacheFileFormat.response(damaged) == nil, "a damaged file is read")
  try require(CacheFileFormat.response(file.dropLast()) == nil, "a cut file is read")
  try require(CacheFileFormat.response(file + [0]) == nil, "a file with a further byte is read")
  try requireEqual(stored.body, body, "the body")
  try requireEqual(CacheFileFormat.response(try CacheFileFormat.bytes(stored)), stored, "stored again")
  let freshness = Freshness(stored)
  for now in [0, 1_700_000_000, 1e10] {
    _ = freshness.isUsable(at: now, for: CacheControl([:]))
    _ = stored.head(age: freshness.age(at: now), to: stored.url)
  }
  _ = stored.matches(["Accept": "*/*"])
  _ = stored.evaluating(TransportRequest(method: .get, url: stored.url, headers: ["If-Modified-Since": "x"]))
}

private let encoder: JSONEncoder = {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  return encoder
}()

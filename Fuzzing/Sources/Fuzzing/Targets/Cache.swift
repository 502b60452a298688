// Property: directives mean the same in one field or several, in any case and between unknown ones; and a response
// that may not be used is not used later either.
import Foundation
@testable import NetworkCoreTransport

@Sendable func testCache(_ input: FuzzInput) throws {
  var input = input
  let (own, asked) = (input.line(), input.line())
  try checkDirectives(own)
  let names = ["Expires", "Age", "Date", "Last-Modified", "Vary", "ETag"]
  var headers = HTTPHeaders(received: [HTTPHeader(name: "Cache-Control", value: own)])
  for name in names {
    let value = input.line()
    if !value.isEmpty { headers.update(name: name, value: value) }
  }
  let request = CacheControl(["Cache-Control": asked])
  let arrival: TimeInterval = 1_700_000_000
  let stored = StoredResponse(
    metadata: .init(
      url: "http://h/", statusCode: 200, httpVersion: "HTTP/1.1",
      fields: headers.map { .init(name: $0.name, value: $0.value) }, selecting: [],
      requestTime: arrival - 1, responseTime: arrival),
    body: Data(input.rest))
  let freshness = Freshness(stored)
  try require(freshness.lifetime >= 0 && freshness.lifetime.isFinite, "lifetime \(freshness.lifetime)")
  try checkTime(freshness, request, from: arrival)
  var conditional = TransportRequest(method: .get, url: "http://h/")
  conditional.headers = ["If-None-Match": asked, "If-Modified-Since": own]
  _ = stored.evaluating(conditional)
  _ = stored.revalidating(conditional)
  _ = stored.head(age: freshness.age(at: arrival), to: "http://h/")
}

private func checkTime(_ freshness: Freshness, _ request: CacheControl, from arrival: TimeInterval) throws {
  var previous = [true, true, true]
  for step in [0, 1, 59, 60, 61, 3600, 86_400, 1e7, 1e9, 3e9, 1e12] {
    let now = arrival + step
    try require(freshness.age(at: now) >= 0, "age \(freshness.age(at: now))")
    let usable = [
      freshness.isUsable(at: now, for: request),
      freshness.isUsableWhileRevalidating(at: now, for: request),
      freshness.isUsableOnError(at: now, for: request),
    ]
    for (index, isUsable) in usable.enumerated() {
      try require(previous[index] || !isUsable, "usable again after \(step) seconds: \(index)")
    }
    previous = usable
  }
}

private func checkDirectives(_ value: String) throws {
  func read(_ values: String...) -> CacheControl {
    CacheControl(HTTPHeaders(received: values.map { HTTPHeader(name: "Cache-Control", value: $0) }))
  }
  let plain = read(value)
  for seconds in [plain.maxAge, plain.minFresh, plain.staleIfError, plain.staleWhileRevalidate] {
    try require((0...CacheControl.secondsLimit).contains(seconds ?? 0), "\(seconds ?? 0) seconds")
  }
  try requireEqual(read("x", value), plain, "after another field")
  try requireEqual(read("x=\"no-store, max-age=1\"," + value), plain, "after a quoted argument")
  if value.utf8.allSatisfy({ $0 < 0x80 }) { try requireEqual(read(value.uppercased()), plain, "in capitals") }
  if value.utf8.count(where: { $0 == UInt8(ascii: "\"") }) == 0 {
    try requireEqual(read(value, "x"), plain, "before another field")
    try requireEqual(
      read(value.replacing(",", with: " ,\t,")), plain, "with blanks and empty members")
    try require(read(value, "no-store").noStore, "no-store is lost")
  }
}

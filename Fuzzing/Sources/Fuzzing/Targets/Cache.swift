// Property: directives, freshness, conditions, ranges and Vary are what the plain rules of RFC 9111
// (`PlainCache`) say; directives mean the same in one field or several, in any case and between unknown ones;
// and a response that may not be used is not used later either.
import Foundation
@testable import NetworkCoreTransport

@Sendable func testCache(_ input: FuzzInput) throws {
  var input = input
  let (own, asked) = (input.line(), input.line())
  try checkDirectives(own)
  try checkVary(own, asked)
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
  try checkRules(stored, freshness, headers, own, asked)
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

private func checkRules(
  _ stored: StoredResponse, _ freshness: Freshness, _ headers: HTTPHeaders, _ own: String, _ asked: String
) throws {
  // What combines with a sign of the grammar differs between parsers.
  let texts = headers.map(\.value) + [own, asked]
  guard texts.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }) else { return }
  let plain = PlainCache(own: own, asked: asked, headers: headers, arrival: stored.metadata.responseTime)
  let request = CacheControl(["Cache-Control": asked])
  for now in plain.times {
    let found = [
      freshness.isUsable(at: now, for: request), freshness.isUsableWhileRevalidating(at: now, for: request),
      freshness.isUsableOnError(at: now, for: request),
    ]
    let expected = [
      plain.isUsable(at: now), plain.isUsableWhileRevalidating(at: now), plain.isUsableOnError(at: now),
    ]
    try requireEqual(
      found, expected, "usable \(now - stored.metadata.responseTime) seconds after the arrival")
  }

  func status(_ fields: HTTPHeaders) -> Int {
    stored.evaluating(TransportRequest(method: .get, url: "http://h/", headers: fields)).metadata.statusCode
  }
  try requireEqual(
    status(["If-None-Match": asked, "If-Modified-Since": own]), plain.matchesTag(asked) ? 304 : 200,
    "the tags")
  try requireEqual(status(["If-Modified-Since": own]), plain.isUnmodified(since: own) ? 304 : 200, "the date")

  let (first, last, count) = (own.utf8.count % 7, asked.utf8.count % 7, stored.body.count)
  for (range, expected) in [
    ("bytes=\(first)-\(last)", first <= last && first < count ? first..<min(last + 1, count) : nil),
    ("Bytes = \(first)-", first < count ? first..<count : nil),
    ("bytes=-\(last)", last > 0 && count > 0 ? max(0, count - last)..<count : nil),
    ("bytes=\(first)-,-1", nil), ("bytes=-", nil), ("items=\(first)-", nil),
  ] {
    let part = stored.part(range)
    try requireEqual(part?.body, expected.map { Data(Array(stored.body)[$0]) }, range)
    let text = expected.map { "bytes \($0.lowerBound)-\($0.upperBound - 1)/\(count)" }
    try requireEqual(part?.headers["Content-Range"], text, range)
  }
}

private func checkVary(_ value: String, _ other: String) throws {
  guard (value + other).utf8.allSatisfy({ $0 > 0x1F && $0 < 0x7F && $0 != UInt8(ascii: "\"") }) else {
    return
  }
  let request = TransportRequest(
    method: .get, url: "http://h/", headers: ["Accept-Encoding": value, "X": other, "Z": "z"])
  let head = ResponseHead(
    statusCode: 200, url: "http://h/",
    headers: ["Cache-Control": "max-age=60", "Vary": " x ,, ACCEPT-encoding,Y"])
  guard
    let stored = StoredResponse(to: request, head: head, body: Data(), requestTime: 1, responseTime: 2)
  else { throw Violation(description: "the response is not stored") }
  let list = value.uppercased().split(separator: ",").reversed().joined(separator: " ,\t")
  for (fields, isExpected) in [
    (["Accept-Encoding": value, "X": other], true), (["x": " \(other)\t", "accept-encoding": list], true),
    (["Accept-Encoding": value, "X": other + "x"], false), (["Accept-Encoding": value], false),
    (["Accept-Encoding": value + "x", "X": other], false), (["X": other], false),
    (["Accept-Encoding": value, "X": other, "Y": ""], false),
    (["Accept-Encoding": value, "X": other, "Cookie": "a"], false),
  ] as [(HTTPHeaders, Bool)] {
    try requireEqual(stored.matches(fields), isExpected, "matches \(fields)")
  }
}

private func checkDirectives(_ value: String) throws {
  func read(_ values: String...) -> CacheControl {
    CacheControl(HTTPHeaders(received: values.map { HTTPHeader(name: "Cache-Control", value: $0) }))
  }
  let plain = read(value)
  let directives = PlainDirectives(value)
  try requireEqual(
    [
      plain.noStore, plain.noCache, plain.mustRevalidate, plain.mustUnderstand, plain.isPrivate,
      plain.onlyIfCached,
    ],
    ["no-store", "no-cache", "must-revalidate", "must-understand", "private", "only-if-cached"].map(
      directives.contains), "directives of \(value)")
  try requireEqual(
    [plain.maxAge, plain.maxStale, plain.minFresh, plain.staleIfError, plain.staleWhileRevalidate],
    [
      directives.maxAge, directives.maxStale, directives.minFresh,
      directives.seconds("stale-if-error"), directives.seconds("stale-while-revalidate"),
    ], "seconds of \(value)")
  try requireEqual(
    CacheControl(["Pragma": value]).noCache, value.lowercased().contains("no-cache"), "Pragma: \(value)")
  for seconds in [plain.maxAge, plain.minFresh, plain.staleIfError, plain.staleWhileRevalidate] {
    try require((0...CacheControl.secondsLimit).contains(seconds ?? 0), "\(seconds ?? 0) seconds")
  }
  try requireEqual(read("x", value), plain, "after another field")
  try requireEqual(read("x=\"no-store, max-age=1\"," + value), plain, "after a quoted argument")
  if value.utf8.allSatisfy({ $0 < 0x80 }) { try requireEqual(read(value.uppercased()), plain, "in capitals") }
  // A quotation mark that is never closed hides nothing of its own line, and nothing of another line.
  try requireEqual(read(value, "x"), plain, "before another field")
  try requireEqual(read(value + ",x"), plain, "before another directive")
  try require(read(value, "no-store").noStore, "no-store is lost")
  try require(read(value + ",no-store").noStore, "no-store is lost in the same line")
  if value.utf8.count(where: { $0 == UInt8(ascii: "\"") }) == 0 {
    try requireEqual(
      read(value.replacing(",", with: " ,\t,")), plain, "with blanks and empty members")
  }
}

// Property: Content-Range, Content-Type, Retry-After and traceparent mean what a plain reader finds in them;
// a value that is read, written and read again is the same, for those, Alt-Svc and tracestate; and a body is
// decoded with the charset that its Content-Type names first.
import Foundation
@testable import NetworkCore
@testable import NetworkCoreCurl
@testable import NetworkCoreTransport

@Sendable func testValues(_ input: FuzzInput) throws {
  var input = input
  let text = input.line()
  let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
  try requireEqual(
    ContentRange(text).map { [$0.range?.lowerBound, $0.range?.upperBound, $0.total] },
    plainRange(text), text)
  if let range = ContentRange(text) {
    let part = range.range.map { "\($0.lowerBound)-\($0.upperBound - 1)" } ?? "*"
    let written = "bytes \(part)/\(range.total.map { "\($0)" } ?? "*")"
    try requireEqual(ContentRange(written), range, written)
    if let part = range.range, let total = range.total { try require(part.upperBound <= total, text) }
  }
  if isASCII { try requireEqual(MediaType(text)?.description, plainType(text), text) }
  if let type = MediaType(text) {
    try requireEqual(MediaType("\(type.type)/*")?.includes(type), true, "the range of \(text)")
    try requireEqual(MediaType("\(type.type)/x\(type.subtype)")?.includes(type), false, "not \(text)")
    try requireEqual(MediaType(type.description), type, text)
    try require(type.includes(type), text)
  }
  if case .service(let service, let lifetime)? = AlternativeServiceField(text[...]) {
    let written = "h3=\"\(service.host):\(service.port)\"; ma=\(lifetime)"
    try requireEqual(AlternativeServiceField(written[...]), .service(service, lifetime: lifetime), written)
    try require(!service.destination.dropFirst(2).contains { ", \t\r\n".contains($0) }, service.destination)
  }
  try checkService(Array(text.utf8.prefix(4)))
  let state = input.line()
  if isASCII {
    let context = try? TraceContext(traceparent: text)
    try requireEqual(context?.traceparent, plainParent(Array(text.utf8)), text)
  }
  try checkState(text)
  if let context = try? TraceContext(traceparent: text, tracestate: state) {
    let again = try TraceContext(traceparent: context.traceparent, tracestate: context.state.text)
    try requireEqual(again.traceparent, context.traceparent, text)
    try requireEqual(again.state.text, context.state.text, state)
  }
  let headers: HTTPHeaders = ["Retry-After": text, "Date": state, "Content-Type": text]
  if let delay = headers.retryAfter { try require(delay >= .zero, "\(delay)") }
  let now: TimeInterval = 1_800_000_000
  if isASCII {
    try requireEqual(
      headers.retryAfter(at: Date(timeIntervalSince1970: now)), plainDelay(text, since: state, now: now), text
    )
  }
  try checkCharsets(input.bytes)
  let response = Response(
    head: ResponseHead(statusCode: 200, url: "http://h/", headers: headers), data: Data(input.rest),
    request: nil, metrics: nil)
  if let body = try? response.mapString(), !text.lowercased().contains("charset"),
    ![0xEF, 0xFE, 0xFF].contains(input.rest.first ?? 0), !input.rest.starts(with: [0, 0, 0xFE, 0xFF])
  {
    try requireEqual(Array(body.utf8), input.bytes, "UTF-8")
  }
}

/// The first byte, the byte after the last, and the total.
private func plainRange(_ text: String) -> [Int64?]? {
  let text = text.utf8.drop { $0 == 0x20 }
  guard Substring(text.prefix(6)).lowercased() == "bytes " else { return nil }
  let parts = text.dropFirst(6).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
  guard parts.count == 2 else { return nil }
  let total = plainNumber(parts[1])
  guard total != nil || parts[1].elementsEqual("*".utf8) else { return nil }
  if parts[0].elementsEqual("*".utf8) { return total.map { [nil, nil, $0] } }
  let ends = parts[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
  guard ends.count == 2, let first = plainNumber(ends[0]), let last = plainNumber(ends[1]), first <= last,
    last < .max, total.map({ last < $0 }) ?? true
  else { return nil }
  return [first, last + 1, total]
}

/// A number of digits only that is not too great.
private func plainNumber(_ digits: Substring.UTF8View) -> Int64? {
  var number: Int64 = 0
  for digit in digits {
    guard (0x30...0x39).contains(digit) else { return nil }
    let (product, isOver) = number.multipliedReportingOverflow(by: 10)
    let (sum, isOverAgain) = product.addingReportingOverflow(Int64(digit - 0x30))
    if isOver || isOverAgain { return nil }
    number = sum
  }
  return digits.isEmpty ? nil : number
}

private func plainType(_ text: String) -> String? {
  let bytes = text.utf8.prefix { $0 != UInt8(ascii: ";") }.filter {
    $0 != 0x20 && !(0x09...0x0D).contains($0)
  }
  let slashes = bytes.indices.filter { bytes[$0] == UInt8(ascii: "/") }
  guard slashes.count == 1, slashes[0] > 0, slashes[0] < bytes.count - 1 else { return nil }
  return String(decoding: bytes, as: UTF8.self).lowercased()
}

private func plainDelay(_ text: String, since date: String, now: TimeInterval) -> Duration? {
  let value = text.trimmed
  if value.isEmpty { return nil }
  if value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
    // A number of any length is valid, but a `Duration` is bounded.
    return TimeInterval(value).map { .seconds(min($0, 1e18)) }
  }
  let present = Date().timeIntervalSince1970
  guard let end = PlainDate.http(Array(value.utf8), now: present) else { return nil }
  return .seconds(max(0, end - (PlainDate.http(Array(date.utf8), now: present) ?? now)))
}

/// The value in version 00, if the one of any version has the parts of that version at their places.
private func plainParent(_ bytes: [UInt8]) -> String? {
  let digits = Array("0123456789abcdef".utf8)
  guard bytes.count >= 55, bytes.count == 55 || bytes[55] == UInt8(ascii: "-") else { return nil }
  for index in 0..<55 {
    let isDash = [2, 35, 52].contains(index)
    guard isDash ? bytes[index] == UInt8(ascii: "-") : digits.contains(bytes[index]) else { return nil }
  }
  let version = bytes[..<2]
  let zero = UInt8(ascii: "0")
  guard !version.elementsEqual("ff".utf8), bytes.count == 55 || version.contains(where: { $0 != zero }),
    bytes[3..<35].contains(where: { $0 != zero }), bytes[36..<52].contains(where: { $0 != zero }),
    let flag = digits.firstIndex(of: bytes[54])
  else { return nil }
  return "00-\(String(decoding: bytes[3..<52], as: UTF8.self))-0\(flag % 2)"
}

/// Members keep their order and their values, between blanks and empty members.
private func checkState(_ text: String) throws {
  let value = String(
    decoding: text.utf8.filter { $0 >= 0x20 && $0 < 0x7F && $0 != 0x2C && $0 != 0x3D }.prefix(256),
    as: UTF8.self)
  let state = try? TraceState("z=1,, k-*/_0=\(value),\t1a@b=2 ")
  // Blanks at the end are not part of the value.
  var kept = value
  while kept.utf8.last == 0x20 { kept.removeLast() }
  try requireEqual(state?.text, kept.isEmpty ? nil : "z=1,k-*/_0=\(kept),1a@b=2", value)
  try require((try? TraceState("z=1,y=2,z=1")) == nil, "a key is there twice")
}

private func checkService(_ bytes: [UInt8]) throws {
  let port = bytes.prefix(2).reduce(0) { $0 * 256 + Int($1) }
  let age = bytes.reduce(0) { $0 * 256 + UInt64($1) }
  let text =
    "h2=\":1\"; ma=5, h3-29=\":2\" ;ma=6,h3 = \"a.example:\(port)\"; persist=1 ; MA=\(age), h3=\":3\""
  let service = AlternativeService(
    host: (1...65_535).contains(port) ? "a.example" : "", port: (1...65_535).contains(port) ? port : 3)
  let lifetime = (1...65_535).contains(port) ? min(age, 2_592_000) : 86_400
  try requireEqual(AlternativeServiceField(text[...]), .service(service, lifetime: lifetime), text)
  try requireEqual(AlternativeServiceField("\(text), Clear"[...]), .clear, text)
}

private func checkCharsets(_ bytes: [UInt8]) throws {
  let text = String(decoding: bytes, as: UTF8.self)
  let latin1 = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  try checkCharset("ISO-8859-1", bytes, latin1)
  try checkCharset("latin1", bytes, latin1)
  for charset in ["utf-8", "US-ASCII", "unknown-8bit"] {
    try checkCharset(charset, bytes, String(validating: bytes, as: UTF8.self))
  }
  guard !text.isEmpty, !text.unicodeScalars.contains("\u{FEFF}") else { return }
  for (charset, isBig) in [("utf-16", true), ("UTF-16BE", true), ("utf-16le", false)] {
    let units = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    let swapped = units.indices.map { units[$0 ^ 1] }
    try checkCharset(charset, isBig ? units : swapped, text)
  }
}

private func checkCharset(_ charset: String, _ body: [UInt8], _ expected: String?) throws {
  let marks: [[UInt8]] = [[0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE], [0, 0, 0xFE, 0xFF]]
  guard !marks.contains(where: { body.starts(with: $0) }) else { return }
  for type in [
    "text/plain;charset=\(charset)",
    "text/plain; x=\"a;charset=utf-32, \\\"\" ; CharSet = \"\(charset)\" ;charset=utf-32",
    "text/plain; y=charset=utf-32; charset='\(charset)' , text/html; charset=utf-32",
  ] {
    let response = Response(
      head: ResponseHead(statusCode: 200, url: "http://h/", headers: ["Content-Type": type]),
      data: Data(body),
      request: nil, metrics: nil)
    let found = try? response.mapString()
    try requireEqual(found.map { Array($0.unicodeScalars) }, expected.map { Array($0.unicodeScalars) }, type)
  }
}

// Property: a value that is read, written and read again is the same, for Content-Range, Content-Type, Alt-Svc,
// traceparent and tracestate; Retry-After is a time; and the charset of a body changes nothing but its text.
import Foundation
@testable import NetworkCore
@testable import NetworkCoreCurl
@testable import NetworkCoreTransport

@Sendable func testValues(_ input: FuzzInput) throws {
  var input = input
  let text = input.line()
  if let range = ContentRange(text) {
    let part = range.range.map { "\($0.lowerBound)-\($0.upperBound - 1)" } ?? "*"
    let written = "bytes \(part)/\(range.total.map { "\($0)" } ?? "*")"
    try requireEqual(ContentRange(written), range, written)
    if let part = range.range, let total = range.total { try require(part.upperBound <= total, text) }
  }
  if let type = MediaType(text) {
    try requireEqual(MediaType(type.description), type, text)
    try require(type.includes(type), text)
  }
  if case .service(let service, let lifetime)? = AlternativeServiceField(text[...]) {
    let written = "h3=\"\(service.host):\(service.port)\"; ma=\(lifetime)"
    try requireEqual(AlternativeServiceField(written[...]), .service(service, lifetime: lifetime), written)
    try require(!service.destination.dropFirst(2).contains { ", \t\r\n".contains($0) }, service.destination)
  }
  let state = input.line()
  if let context = try? TraceContext(traceparent: text, tracestate: state) {
    let again = try TraceContext(traceparent: context.traceparent, tracestate: context.state.text)
    try requireEqual(again.traceparent, context.traceparent, text)
    try requireEqual(again.state.text, context.state.text, state)
  }
  let headers: HTTPHeaders = ["Retry-After": text, "Date": state, "Content-Type": text]
  if let delay = headers.retryAfter { try require(delay >= 0, "\(delay)") }
  let response = Response(
    head: ResponseHead(statusCode: 200, url: "http://h/", headers: headers), data: Data(input.rest),
    request: nil, metrics: nil)
  if let body = try? response.mapString(), !text.lowercased().contains("charset"),
    ![0xEF, 0xFE, 0xFF].contains(input.rest.first ?? 0)
  {
    try requireEqual(Array(body.utf8), input.bytes, "UTF-8")
  }
}

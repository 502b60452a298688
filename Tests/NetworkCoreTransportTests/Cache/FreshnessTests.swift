import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

/// A response that was requested at 1,000,000 s and arrived 10 s later, and its expected freshness.
private struct FreshnessCase: Sendable, CustomTestStringConvertible {
  let headers: HTTPHeaders
  /// `nil` for a response that is not stored.
  let lifetime: TimeInterval?
  /// The age on arrival.
  let age: TimeInterval
  let status: Int

  init(_ headers: HTTPHeaders, lives lifetime: TimeInterval?, age: TimeInterval = 10, status: Int = 200) {
    self.headers = headers
    self.lifetime = lifetime
    self.age = age
    self.status = status
  }

  var testDescription: String { "\(status) \(headers.map { "\($0)" })" }
}

private let date = "Mon, 12 Jan 1970 13:46:50 GMT"  // 1,000,010

/// `Cache-Control` in several lines.
private func lines(_ values: String...) -> HTTPHeaders {
  HTTPHeaders(received: values.map { HTTPHeader(name: "Cache-Control", value: $0) })
}

private let cases = [
  FreshnessCase([:], lives: 0),
  FreshnessCase([:], lives: nil, status: 500),
  FreshnessCase(["Cache-Control": "max-age=60"], lives: 60),
  FreshnessCase(["Cache-Control": "max-age=60"], lives: 60, status: 500),
  FreshnessCase(["Cache-Control": "MAX-AGE=60, Private"], lives: 60),
  FreshnessCase(["Cache-Control": "max-age=\"60\""], lives: 60),
  FreshnessCase(["Cache-Control": "private=\"set-cookie, max-age=9\", max-age=60"], lives: 60),
  FreshnessCase(["Cache-Control": "max-age=60, max-age=60"], lives: 60),
  FreshnessCase(["Cache-Control": "max-age=60, max-age=70"], lives: 0),
  FreshnessCase(["Cache-Control": "max-age=sixty"], lives: 0),
  FreshnessCase(["Cache-Control": "max-age=-1"], lives: 0),
  FreshnessCase(["Cache-Control": "max-age"], lives: 0),
  FreshnessCase(["Cache-Control": "max-age=99999999999999999999"], lives: 2_147_483_648),
  FreshnessCase(["Cache-Control": "s-maxage=60"], lives: 0),
  FreshnessCase(["Cache-Control": "max-age=60, s-maxage=5"], lives: 60),
  FreshnessCase(["Cache-Control": "no-store"], lives: nil),
  FreshnessCase(["Cache-Control": "no-store, max-age=60"], lives: nil),
  FreshnessCase(["Cache-Control": "max-age=60, no-store,\u{301} x=\"\u{301}y\""], lives: nil),
  FreshnessCase(["Cache-Control": ",,=,;max-age= 60 ,"], lives: 0),
  FreshnessCase(["Cache-Control": "max-age=60, x=\"a, no-store"], lives: nil),
  FreshnessCase(["Cache-Control": "max-age=60, x=\"a\\\", no-store"], lives: nil),
  FreshnessCase(["Cache-Control": "max-age=60, x=\"a, no-store, y=\"b\""], lives: nil),
  FreshnessCase(["Cache-Control": "x=\"a, no-store\" \t, max-age=60"], lives: 60),
  FreshnessCase(["Cache-Control": "max-age=\"60"], lives: 0),
  FreshnessCase(lines("max-age=60, x=\"a", "no-store, y=b\""), lives: nil),
  FreshnessCase(lines("max-age=60", "max-age=70"), lives: 0),
  FreshnessCase(["Expires": "Mon, 12 Jan 1970 13:47:50 GMT", "Date": date], lives: 60),
  FreshnessCase(["Expires": "Monday, 12-Jan-70 13:47:50 GMT", "Date": date], lives: 60),
  FreshnessCase(["Expires": "Mon Jan 12 13:47:50 1970", "Date": date], lives: 60),
  FreshnessCase(["Expires": "Mon, 12 Jan 1970 13:47:50 GMT"], lives: 60),
  FreshnessCase(["Expires": "MON, 12 Jan 1970 13:47:50 GMT", "Date": date], lives: 60),
  FreshnessCase(["Expires": "Thurs, 12 Jan 1970 13:47:50 GMT", "Date": date], lives: 60),
  FreshnessCase(["Expires": "Mo, 12 Jan 1970 13:47:50 GMT", "Date": date], lives: 0),
  FreshnessCase(["Expires": "Xyz, 12 Jan 1970 13:47:50 GMT", "Date": date], lives: 0),
  FreshnessCase(["Expires": ", 12 Jan 1970 13:47:50 GMT", "Date": date], lives: 0),
  FreshnessCase(["Expires": "0", "Date": date], lives: 0),
  FreshnessCase(["Expires": "Mon, 12 Jan 1970 13:45:50 GMT", "Date": date], lives: 0),
  FreshnessCase(["Expires": "Mon, 12 Jan 1970 13:47:50 GMT", "Cache-Control": "max-age=5"], lives: 5),
  FreshnessCase(["Last-Modified": "Mon, 12 Jan 1970 13:30:10 GMT", "Date": date], lives: 100),
  FreshnessCase(["Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT", "Date": date], lives: 86_400),
  FreshnessCase(["Last-Modified": "Mon, 12 Jan 1970 13:30:10 GMT", "Date": date], lives: nil, status: 302),
  FreshnessCase(["Last-Modified": "yesterday"], lives: 0),
  FreshnessCase(["Cache-Control": "max-age=60", "Age": "20"], lives: 60, age: 30),
  FreshnessCase(["Cache-Control": "max-age=60", "Age": "-20"], lives: 60),
  FreshnessCase(["Cache-Control": "max-age=60", "Age": "old"], lives: 60),
  FreshnessCase(["Cache-Control": "max-age=60", "Age": "20, 5"], lives: 60, age: 30),
  FreshnessCase(
    ["Cache-Control": "max-age=60", "Age": "99999999999999999999"], lives: 60, age: 2_147_483_658),
  FreshnessCase(
    ["Cache-Control": "max-age=60", "Date": "Mon, 12 Jan 1970 13:46:10 GMT"], lives: 60, age: 40),
  FreshnessCase(["Cache-Control": "max-age=60", "Date": "Mon, 12 Jan 1970 15:46:10 GMT"], lives: 60),
  FreshnessCase(["Vary": "*", "Cache-Control": "max-age=60"], lives: nil),
  FreshnessCase(["Vary": "*,\u{301}", "Cache-Control": "max-age=60"], lives: nil),
  FreshnessCase(["Cache-Control": "max-age=60"], lives: nil, status: 206),
  FreshnessCase(["Cache-Control": "max-age=60"], lives: nil, status: 304),
  FreshnessCase(["Last-Modified": "Mon, 12 Jan 1970 13:47:50 GMT", "Date": date], lives: 0),
]

/// Whether a response with a given status is stored if its fields do not decide (RFC 9110, section 15.1).
private let statusCases =
  [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].map { FreshnessCase([:], lives: 0, status: $0) }
  + [201, 202, 303, 307, 400, 403, 429, 502].map { FreshnessCase([:], lives: nil, status: $0) }

@Suite("Freshness of stored responses")
struct FreshnessTests {
  private func storedResponse(_ headers: HTTPHeaders, status: Int = 200, to request: HTTPHeaders = [:])
    -> StoredResponse?
  {
    StoredResponse(
      to: .init(url: "http://a/", headers: request),
      head: .init(statusCode: status, url: "http://a/", headers: headers),
      body: Data(), requestTime: 1_000_000, responseTime: 1_000_010)
  }

  private func decision(
    _ headers: HTTPHeaders, at age: TimeInterval, asking request: HTTPHeaders = [:],
    _ policy: TransportRequest.CachePolicy = .useProtocol, method: HTTPMethod = .get
  ) throws -> String {
    var asked = TransportRequest(method: method, url: "http://a/", headers: request)
    asked.cachePolicy = policy
    let stored = try #require(storedResponse(headers))
    switch CacheDecision(asked, stored: [stored], now: 1_000_000 + age) {
    case .bypass: return "pass"
    case .use: return "use"
    case .useAndRevalidate: return "stale"
    case .send(let sent, let about):
      let tag = sent.headers["If-None-Match"] ?? sent.headers["If-Modified-Since"] ?? "ask"
      return about == nil ? "load" : tag
    case .fail: return "fail"
    }
  }

  @Test("the freshness lifetime depends on the fields and the status", arguments: cases + statusCases)
  private func lifetime(example: FreshnessCase) throws {
    let stored = storedResponse(example.headers, status: example.status)
    #expect(stored.map { Freshness($0).lifetime } == example.lifetime)
    guard let stored else { return }
    #expect(Freshness(stored).age(at: 1_000_010) == example.age)
    #expect(Freshness(stored).age(at: 1_000_020) == example.age + 10)
  }

  @Test(
    "the request's directives decide about the use of a stored response",
    arguments: [
      ([:], 59, "use"), ([:], 60, "tag"), (["Cache-Control": "no-cache"], 20, "tag"),
      (["Pragma": "no-cache"], 20, "tag"), (["Pragma": "x, No-Cache"], 20, "tag"),
      (["Pragma": "no-cache", "Cache-Control": "max-age=15"], 15, "use"),
      (["Cache-Control": "max-age=15"], 15, "use"), (["Cache-Control": "max-age=15"], 16, "tag"),
      (["Cache-Control": "min-fresh=20"], 40, "use"), (["Cache-Control": "min-fresh=20"], 41, "tag"),
      (["Cache-Control": "min-fresh=0"], 59, "use"), (["Cache-Control": "min-fresh=0"], 60, "tag"),
      (["Cache-Control": "max-stale=10"], 70, "use"), (["Cache-Control": "max-stale=10"], 71, "tag"),
      (["Cache-Control": "max-stale"], 10_000, "use"), (["Cache-Control": "only-if-cached"], 59, "use"),
      (["Cache-Control": "only-if-cached"], 60, "fail"), (["Cache-Control": "no-store"], 20, "pass"),
      (["Range": "bytes=0-1"], 20, "pass"), (["If-None-Match": "x"], 20, "use"),
      (["If-None-Match": "x"], 60, "pass"), (["if-modified-since": "x"], 20, "use"),
      (["If-Unmodified-Since": "x"], 20, "pass"), (["If-None-Match": "x", "If-Match": "x"], 20, "pass"),
      (["if-match": "x"], 20, "pass"),
      (["Authorization": "me"], 20, "load"), (["Accept": "text/event-stream"], 20, "pass"),
    ] as [(HTTPHeaders, TimeInterval, String)])
  func request(headers: HTTPHeaders, age: TimeInterval, expected: String) throws {
    #expect(
      try decision(["Cache-Control": "max-age=60", "ETag": "tag"], at: age, asking: headers) == expected)
  }

  @Test("of a directive's several values, the strictest counts", arguments: [false, true])
  func repetition(isReversed: Bool) {
    func directives(_ values: String...) -> CacheControl {
      let ordered: [String] = isReversed ? values.reversed() : values
      return CacheControl(["Cache-Control": ordered.joined(separator: ", ")])
    }
    #expect(directives("max-stale=5", "max-stale=9").maxStale == 5)
    #expect(directives("max-stale", "max-stale=9").maxStale == 9)
    #expect(directives("min-fresh=5", "min-fresh=9").minFresh == 9)
    #expect(directives("stale-if-error=5", "stale-if-error=9").staleIfError == 5)
    #expect(directives("stale-while-revalidate=5", "stale-while-revalidate=9").staleWhileRevalidate == 5)
    // Without a number, only max-stale means something.
    #expect(directives("min-fresh").minFresh == nil)
    #expect(directives("stale-if-error", "stale-if-error=9").staleIfError == 9)
    #expect(directives("stale-while-revalidate").staleWhileRevalidate == nil)
  }

  @Test("a HEAD with a range goes to the server")
  func rangeOfHead() throws {
    let (stored, asked): (HTTPHeaders, HTTPHeaders) = (
      ["Cache-Control": "max-age=60"], ["Range": "bytes=0-1"]
    )
    #expect(try decision(stored, at: 20, method: .head) == "use")
    #expect(try decision(stored, at: 20, asking: asked, method: .head) == "pass")
  }

  @Test("a HEAD is never answered from a response that is to be revalidated")
  func staleHead() throws {
    let stored: HTTPHeaders = ["Cache-Control": "max-age=60, stale-while-revalidate=30", "ETag": "tag"]
    #expect(try decision(stored, at: 70) == "stale")
    #expect(try decision(stored, at: 70, method: .head) == "ask")
  }

  @Test(
    "a stale response is used while it is revalidated, as far as both sides allow that",
    arguments: [
      ("", "", 59, "use"), ("", "", 60, "stale"), ("", "", 90, "stale"), ("", "", 91, "tag"),
      ("", "no-cache", 70, "tag"), ("", "max-age=70", 70, "stale"), ("", "max-age=70", 71, "tag"),
      ("", "min-fresh=1", 70, "tag"), ("", "only-if-cached", 70, "stale"), ("", "only-if-cached", 91, "fail"),
      ("must-revalidate", "", 60, "tag"), ("no-cache", "", 60, "tag"),
    ] as [(String, String, TimeInterval, String)])
  func whileRevalidating(own: String, asked: String, age: TimeInterval, expected: String) throws {
    let stored: HTTPHeaders = [
      "Cache-Control": "max-age=60, stale-while-revalidate=30, \(own)", "ETag": "tag",
    ]
    var request: HTTPHeaders = asked.isEmpty ? [:] : ["Cache-Control": asked]
    #expect(try decision(stored, at: age, asking: request) == expected)
    // The server evaluates conditions, unless the request must not be sent.
    request["If-None-Match"] = "x"
    let evaluated =
      expected == "use" || expected == "fail" ? expected : asked == "only-if-cached" ? "fail" : "pass"
    #expect(try decision(stored, at: age, asking: request) == evaluated)
    request["If-None-Match"] = nil
    for policy in [TransportRequest.CachePolicy.revalidate, .reload] {
      #expect(try decision(stored, at: age, asking: request, policy) != "stale")
    }
  }

  @Test(
    "the response's directives decide about its use",
    arguments: [
      (["Cache-Control": "no-cache, max-age=60", "ETag": "tag"], "max-stale", "tag"),
      (["Cache-Control": "no-cache=\"x\", max-age=60", "ETag": "tag"], "", "tag"),
      (["Cache-Control": "must-revalidate, max-age=5", "ETag": "tag"], "max-stale", "tag"),
      (["Cache-Control": "max-age=5", "Last-Modified": "then"], "", "then"),
      (["Cache-Control": "max-age=5"], "", "ask"),
    ] as [(HTTPHeaders, String, String)])
  func response(headers: HTTPHeaders, request: String, expected: String) throws {
    #expect(
      try decision(headers, at: 30, asking: request.isEmpty ? [:] : ["Cache-Control": request]) == expected)
  }

  @Test(
    "the policy overrides the fields",
    arguments: [
      (.useProtocol, "use", "tag"), (.reload, "load", "load"), (.reloadEverywhere, "load", "load"),
      (.revalidate, "tag", "tag"), (.storedElseLoad, "use", "use"), (.storedOnly, "use", "use"),
    ] as [(TransportRequest.CachePolicy, String, String)])
  func policy(policy: TransportRequest.CachePolicy, fresh: String, stale: String) throws {
    let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "tag"]
    #expect(try decision(headers, at: 20, policy) == fresh)
    #expect(try decision(headers, at: 1_000, policy) == stale)
    #expect(try decision(headers, at: 20, policy, method: .post) == (policy == .storedOnly ? "fail" : "pass"))
    #expect(try decision(headers, at: 20, .useProtocol, method: .head) == "use")
    #expect(try decision(headers, at: 1_000, .useProtocol, method: .head) == "ask")
  }

  @Test(
    "a stale response can replace a failure for the allowed time",
    arguments: [
      ("max-age=60, stale-if-error=100", "", 160, true), ("max-age=60, stale-if-error=100", "", 161, false),
      ("max-age=60", "", 61, false), ("max-age=60", "stale-if-error=10", 70, true),
      ("max-age=60, stale-if-error=100", "stale-if-error=10", 71, false),
      ("max-age=60, must-revalidate, stale-if-error=100", "", 61, false),
      ("no-cache, stale-if-error=100", "", 61, false), ("no-cache", "stale-if-error=100", 61, false),
      ("max-age=60, stale-if-error=100", "no-cache", 61, false),
      ("max-age=60", "no-cache, stale-if-error=100", 61, true),
    ] as [(String, String, TimeInterval, Bool)])
  func onError(response fields: String, request: String, age: TimeInterval, expected: Bool) throws {
    let stored = try #require(storedResponse(["Cache-Control": fields]))
    let directives = CacheControl(request.isEmpty ? [:] : ["Cache-Control": request])
    #expect(Freshness(stored).isUsableOnError(at: 1_000_000 + age, for: directives) == expected)
  }

  @Test(
    "a response is never younger than on arrival, and stale if the clock is set back by more than a minute",
    arguments: ["", "max-stale", "max-stale=1000000000"])
  func clockSetBack(request: String) throws {
    let stored = try #require(
      storedResponse(["Cache-Control": "max-age=60, stale-while-revalidate=60, stale-if-error=60"]))
    let (freshness, directives) = (Freshness(stored), CacheControl(["Cache-Control": request]))
    #expect(freshness.age(at: 999_950) == 10)
    #expect(freshness.isUsable(at: 999_950, for: directives))
    #expect(!freshness.isUsable(at: 999_949, for: directives))
    #expect(!freshness.isUsableWhileRevalidating(at: 999_949, for: directives))
    #expect(!freshness.isUsableOnError(at: 999_949, for: directives))
  }

  @Test("a clock that is set back before the response arrives does not reduce its age")
  func clockSetBackMeanwhile() throws {
    let stored = try #require(
      StoredResponse(
        to: .init(url: "http://a/"),
        head: .init(
          statusCode: 200, url: "http://a/", headers: ["Cache-Control": "max-age=60", "Age": "50"]),
        body: Data(), requestTime: 1_000_000, responseTime: 990_000))
    #expect(Freshness(stored).age(at: 990_000) == 50)
  }

  @Test("of several matching responses, the newest is used")
  func newest() throws {
    let times: [TimeInterval] = [1_000_010, 1_000_030, 1_000_020]
    let responses = try times.map { time in
      try #require(
        StoredResponse(
          to: .init(url: "http://a/"),
          head: .init(statusCode: 200, url: "http://a/", headers: ["Cache-Control": "max-age=60"]),
          body: Data("\(Int(time))".utf8), requestTime: time, responseTime: time))
    }
    guard case .use(let used) = CacheDecision(.init(url: "http://a/"), stored: responses, now: 1_000_040)
    else {
      Issue.record("none is used")
      return
    }
    #expect(used.body == Data("1000030".utf8))
  }

  @Test("a request with a body or a credential is not served from the cache")
  func notCacheable() throws {
    let stored = try #require(storedResponse(["Cache-Control": "max-age=60"]))
    var credentialed = TransportRequest(url: "http://a/")
    credentialed.credential = .bearer(token: "t")
    let withBody = TransportRequest(url: "http://a/", body: .data(Data("q".utf8)))
    for request in [withBody, credentialed] {
      guard case .bypass = CacheDecision(request, stored: [stored], now: 1_000_020) else {
        Issue.record("it is used for \(request)")
        continue
      }
    }
  }

  @Test(
    "invalid dates are ignored",
    arguments: [
      "", "0", "now", "Mon, 12 Jan 1970", "Mon, 32 Jan 1970 13:47:50 GMT", "Mon, 12 Foo 1970 13:47:50 GMT",
      "Mon, 12 Jan 1970 24:47:50 GMT", "Mon, 12 Jan 1970 13:47 GMT", "Mon, 12 Jan 1970 13:47:50 CET",
      "Mon, 00 Jan 1970 13:47:50 GMT", "Mon, 12 Jan 1970 13:60:50 GMT", "Mon, 12 Jan 1970 13:47:61 GMT",
      "Mon, 12 Jan -970 13:47:50 GMT", "Mon, 12 Jan 99999999999999999999 13:47:50 GMT", "-,-,-,-",
      "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 50 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT",
      "Thu, 18  Aug  2050  02:01:18  GMT", "Thu 18 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050 02.01.18 GMT",
      "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 8 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050 02:01:18",
      "Thursday, 18 Aug 50 02:01:18 GMT", "Thu, 18 Aug 2050 +2:01:18 GMT", "Thu Aug 8 02:01:18 2050",
      "Thu Aug  18 02:01:18 2050", "Thu Aug 18 02:01:18 2050 GMT", "Thu, 18 Aug 2050 02:01:18 GMT ",
    ])
  func noDate(text: String) {
    #expect(HTTPDate.seconds(text) == nil)
  }

  @Test("dates are parsed according to the calendar")
  func dates() {
    #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(HTTPDate.seconds("Sunday, 06-Nov-94 08:49:37 GMT") == 784_111_777)
    #expect(HTTPDate.seconds("Sun Nov  6 08:49:37 1994") == 784_111_777)
    #expect(HTTPDate.seconds("Wed Nov 16 08:49:37 1994") == 784_975_777)
    #expect(HTTPDate.seconds("SUN, 06 nov 1994 08:49:37 gMT") == 784_111_777)
    #expect(HTTPDate.seconds("Thu, 29 Feb 2024 00:00:00 GMT") == 1_709_164_800)
    #expect(HTTPDate.seconds("Sun, 31 Dec 2000 23:59:60 GMT") == 978_307_200)
    #expect(HTTPDate.seconds("Thu, 31 Dec 2020 00:00:00 GMT") == 1_609_372_800)
    #expect(HTTPDate.seconds("Sun, 06 Feb 0000 08:49:37 GMT") == -62_164_077_023)
  }

  @Test(
    "a year of two digits is in the past only if it seems more than fifty years away",
    arguments: [
      ("31-Dec-77", 252_374_400.0), ("01-Jan-30", 1_893_456_000), ("25-Nov-76", 3_373_488_000),
      ("27-Nov-76", 217_900_800),
    ])
  func twoDigits(day: String, expected: Double) {
    // 26 November 2026.
    #expect(HTTPDate.seconds("Sunday, \(day) 00:00:00 GMT", now: 1_795_651_200) == expected)
    // In the year 2099, 30 is the year 2130 and 98 is last year.
    #expect(HTTPDate.seconds("Friday, 01-Jan-30 00:00:00 GMT", now: 4_085_000_000) == 1_893_456_000)
  }

  @Test(
    "a day that its month does not have is no date",
    arguments: ["31 Feb 2024", "30 Feb 2024", "29 Feb 2023", "31 Apr 2024", "00 Jan 2024", "32 Dec 2024"])
  func noDay(day: String) {
    #expect(HTTPDate.seconds("Sun, \(day) 00:00:00 GMT") == nil)
  }
}

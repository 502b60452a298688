import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import NetworkWaterfall
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("The waterfall", .timeLimit(.minutes(5)))
struct WaterfallTests {
  /// The elements of a picture by class, with their attributes, and its text.
  private final class SVGElements: NSObject, XMLParserDelegate {
    private(set) var elements: [String: [[String: String]]] = [:]
    private(set) var text = ""

    init(_ svg: String) throws {
      super.init()
      let parser = XMLParser(data: Data(svg.utf8))
      parser.delegate = self
      try #require(parser.parse(), "not well-formed")
    }

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String] = [:]
    ) {
      if let name = attributes["class"] { elements[name, default: []].append(attributes) }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func count(_ name: String) -> Int { elements[name]?.count ?? 0 }

    /// The elements outside the legend.
    func drawn(_ name: String) -> [[String: String]] { Array((elements[name] ?? []).dropFirst()) }
  }

  private let waterfall = WaterfallPlugin()

  /// Records a request with these events.
  private func play(_ script: ScriptedRequest, _ events: (Int, RequestEvent.Kind)...) {
    for item in events { waterfall.didObserve(script.event(item.0, item.1)) }
  }

  /// Records a response that takes the given time.
  private func play(lasting time: Duration) {
    let id = RequestID()
    let (start, end) = (ScriptedRequest.origin, ScriptedRequest.origin + time)
    waterfall.didObserve(RequestEvent(id: id, time: start, kind: .queued(.init(url: "http://a/one"))))
    waterfall.didObserve(RequestEvent(id: id, time: end, kind: .ended(.response(statusCode: 200), nil)))
  }

  private func number(_ attributes: [String: String]?, _ name: String) -> Double {
    attributes?[name].flatMap(Double.init) ?? .nan
  }

  @Test("has a row for each request, by host, with its phases side by side on one axis")
  func phases() throws {
    play(
      ScriptedRequest(), (0, .queued(.init(url: "http://a/x/one?q=1"))),
      (0, .started(method: .get, url: "http://a/x/one?q=1")),
      (100, .connected(.init(nameLookup: .milliseconds(20), connect: .milliseconds(50)))),
      (100, .requestSent), (300, .firstByte), (400, .ended(.response(statusCode: 200), nil)))
    play(
      ScriptedRequest(), (200, .queued(.init(url: "http://b/two"))),
      (200, .started(method: .get, url: "http://b/two")),
      (200, .firstByte), (1_000, .ended(.response(statusCode: 204), nil)))
    let picture = try SVGElements(waterfall.svg(title: "A & B"))
    #expect(picture.count("request answered") == 2)
    #expect(picture.count("host") == 2)
    #expect(picture.text.contains("A & B"))
    #expect(picture.text.contains("2 requests, 2 answered in 1.00 s"))
    #expect(picture.text.contains("GET one?q=1"))
    #expect(picture.text.contains("http://a"))
    #expect(picture.text.contains("200 · 400 ms"))
    // 100 ms are a tenth of the chart.
    let chart = 720.0 - 20 - 150
    let (wait, receive) = (picture.drawn("wait"), picture.drawn("receive"))
    #expect(wait.count == 1)
    #expect(abs(number(wait.first, "x") - (20 + chart * 0.1)) < 0.1)
    #expect(abs(number(wait.first, "width") - chart * 0.2) < 0.1)
    #expect(receive.map { number($0, "width") }.max().map { abs($0 - chart * 0.8) < 0.1 } == true)
    #expect(
      number(picture.drawn("nameLookup").first, "width") < number(picture.drawn("connect").first, "width"))
    #expect(number(receive.first, "y") < number(receive.last, "y"))
  }

  @Test("marks failures, cancellations, redirects, retries, hedges and requests in flight")
  func endings() throws {
    let (first, hedge) = (ScriptedRequest(), ScriptedRequest())
    play(
      first, (0, .queued(.init(url: "http://a/1"))), (1, .started(method: .get, url: "http://a/1")),
      (50, .ended(.cancelled, nil)))
    play(
      hedge, (20, .queued(.init(url: "http://a/1", cause: .hedge(of: first.id)))),
      (21, .started(method: .get, url: "http://a/1")), (40, .ended(.response(statusCode: 200), nil)))
    play(
      ScriptedRequest(), (0, .queued(.init(url: "http://a/2"))),
      (1, .redirected(to: "http://a/3", statusCode: 302)),
      (2, .retried(dueTo: .cancelled, after: .seconds(1))), (9, .ended(.failure(.requestMapping("u")), nil)))
    play(
      ScriptedRequest(), (0, .queued(.init(url: "http://a/4"))),
      (10, .started(method: .get, url: "http://a/4")))
    let picture = try SVGElements(waterfall.svg())
    #expect(picture.count("request cancelled") == 1)
    #expect(picture.count("request failed") == 1)
    #expect(picture.count("request open") == 1)
    #expect(picture.drawn("cut").count == 1)
    #expect(picture.drawn("failure").count == 1)
    #expect(picture.drawn("redirect").count == 1)
    #expect(picture.drawn("retry").count == 1)
    #expect(picture.count("link") == 1)
    #expect(picture.text.contains("hedge GET 1"))
    #expect(
      picture.text.contains(
        "4 requests, 1 answered, 1 failed, 1 cancelled, 1 in flight, 1 sent again, 1 redirected, 1 hedged"))
  }

  @Test("the summary counts the redirects also if an operator has repeated a request")
  func redirectsBeforeRetry() throws {
    let first = ScriptedRequest()
    play(
      first, (0, .queued(.init(url: "http://a/1"))), (1, .redirected(to: "http://a/2", statusCode: 302)),
      (9, .ended(.failure(.requestMapping("u")), nil)))
    play(
      ScriptedRequest(), (10, .queued(.init(url: "http://a/1", cause: .retry(of: first.id)))),
      (20, .ended(.response(statusCode: 200), nil)))
    let text = try SVGElements(waterfall.svg()).text
    #expect(text.contains("2 requests, 1 answered, 1 failed, 1 sent again, 1 redirected in"))
  }

  @Test("an operator's retry is named as such, and linked to the request that it repeats if that is kept")
  func operatorsRetry() throws {
    let first = ScriptedRequest()
    play(
      first, (0, .queued(.init(url: "http://a/1"))), (9, .ended(.failure(.requestMapping("u")), nil)))
    play(
      ScriptedRequest(), (10, .queued(.init(url: "http://a/1", cause: .retry(of: first.id)))),
      (20, .ended(.response(statusCode: 200), nil)))
    play(
      ScriptedRequest(), (30, .queued(.init(url: "http://a/2", cause: .retry(of: RequestID())))),
      (40, .ended(.response(statusCode: 200), nil)))
    let picture = try SVGElements(waterfall.svg())
    #expect(picture.text.contains("retry GET 1"))
    #expect(picture.text.contains("retry GET 2"))
    #expect(picture.count("link") == 1)
  }

  @Test("a request without measurable phases has a bar all the same")
  func shortest() throws {
    play(lasting: .seconds(1))
    play(
      ScriptedRequest(), (500, .queued(.init(url: "http://a/stub"))),
      (500, .ended(.response(statusCode: 200), nil)))
    let bars = try SVGElements(waterfall.svg()).drawn("wait")
    #expect(bars.count == 1)
    #expect(number(bars.first, "x") == 20 + 550.0 / 2)
    #expect(number(bars.first, "width") == 2)
  }

  @Test(
    "a time has about three digits and a unit",
    arguments: [
      (.microseconds(500), "500 µs"), (.milliseconds(1), "1.0 ms"), (.microseconds(9_500), "9.5 ms"),
      (.milliseconds(10), "10 ms"), (.milliseconds(999), "999 ms"), (.seconds(1), "1.00 s"),
      (.seconds(99), "99.00 s"), (.seconds(100), "100 s"), (.milliseconds(100_600), "101 s"),
    ] as [(Duration, String)])
  func times(time: Duration, text: String) throws {
    play(lasting: time)
    #expect(try SVGElements(waterfall.svg()).text.contains("200 · \(text)"))
  }

  @Test("a mark that is farther away than an integer can hold is drawn too")
  func farMark() throws {
    play(lasting: .seconds(1))
    waterfall.mark("far", at: ScriptedRequest.origin + .seconds(Int64.max))
    let text = try SVGElements(waterfall.svg()).text
    #expect(text.contains("1 request, 1 answered in 9223372036854775808 s"))
  }

  @Test(
    "the ticks of the axis are 70 points or more apart, and their labels have the unit of their distance",
    arguments: [
      (.milliseconds(1), ["0 µs", "200 µs", "400 µs", "600 µs", "800 µs", "1000 µs"]),
      (.milliseconds(6), ["0 ms", "1 ms", "2 ms", "3 ms", "4 ms", "5 ms", "6 ms"]),
      (.seconds(1), ["0 ms", "200 ms", "400 ms", "600 ms", "800 ms", "1000 ms"]),
      (.milliseconds(3_500), ["0 s", "0.5 s", "1 s", "1.5 s", "2 s", "2.5 s", "3 s", "3.5 s"]),
      (.seconds(100), ["0 s", "20 s", "40 s", "60 s", "80 s", "100 s"]),
    ] as [(Duration, [String])])
  func ticks(time: Duration, labels: [String]) throws {
    play(lasting: time)
    let found = waterfall.svg().matches(of: #/class="tick" x="[^"]*" y="[^"]*">([^<]*)</#)
    #expect(found.map { String($0.output.1) } == labels)
  }

  @Test("the description has each request with its host, its start and its result")
  func accessibility() throws {
    play(
      ScriptedRequest(), (0, .queued(.init(url: "http://a/one"))),
      (400, .ended(.response(statusCode: 200), nil)))
    play(ScriptedRequest(), (200, .queued(.init(url: "http://b/two"))), (1_000, .ended(.cancelled, nil)))
    let text = try SVGElements(waterfall.svg()).text
    #expect(
      text.contains(
        "GET one to http://a at 0 µs: 200 · 400 ms. GET two to http://b at 200 ms: cancelled · 800 ms."))
  }

  @Test("the tool tip of a request has its start, its connection, its error and its phases")
  func toolTip() throws {
    play(lasting: .seconds(1))
    let error = NetworkError.underlying(TransferError.connectionLost(reason: "r"), nil)
    let connection = RequestEvent.Connection(
      address: "192.0.2.1", port: 443, tlsVersion: "TLSv1.3", httpVersion: .http2, isReused: true)
    play(
      ScriptedRequest(), (200, .queued(.init(url: "https://a/two"))),
      (200, .started(method: .get, url: "https://a/two")), (300, .connected(connection)),
      (300, .requestSent), (350, .ended(.failure(error), nil)))
    let lines = [
      "GET https://a/two", "starts at 200 ms, failed · 150 ms",
      "over the kept connection to 192.0.2.1:443, HTTP/2, TLSv1.3", error.localizedDescription,
      "queued: 100 ms", "wait: 50 ms",
    ]
    #expect(try SVGElements(waterfall.svg()).text.contains(lines.joined(separator: "\n")))
  }

  @Test("a title of more than 70 characters is shortened")
  func longTitle() {
    let title = String(repeating: "t", count: 70)
    #expect(waterfall.svg(title: title).contains(#"class="title">\#(title)</text>"#))
    let shortened = String(repeating: "t", count: 69) + "…"
    #expect(waterfall.svg(title: title + "t").contains(#"class="title">\#(shortened)</text>"#))
  }

  @Test("characters that change the direction of a text are replaced")
  func directions() throws {
    waterfall.mark("a\u{202E}b\u{2066}c\u{9F}d", at: ScriptedRequest.origin)
    #expect(try SVGElements(waterfall.svg()).text.contains("a\u{FFFD}b\u{FFFD}c\u{FFFD}d"))
  }

  /// An error that uses the plugin when it is released.
  private final class ReleasedError: Error {
    private let waterfall: WaterfallPlugin
    private let log: Log

    init(_ waterfall: WaterfallPlugin, _ log: Log) { (self.waterfall, self.log) = (waterfall, log) }

    deinit { log("\(waterfall.requestCount)") }
  }

  @Test(
    "what a record holds may use the plugin when it is released, because the record is dropped or removed")
  func released() {
    let (waterfall, log) = (WaterfallPlugin(limit: 1), Log())
    func playFailure() {
      let script = ScriptedRequest()
      waterfall.didObserve(script.event(0, .queued(.init(url: "http://a/"))))
      let error = NetworkError.underlying(ReleasedError(waterfall, log), nil)
      waterfall.didObserve(script.event(1, .ended(.failure(error), nil)))
    }
    playFailure()
    #expect(log.all.isEmpty)
    playFailure()
    #expect(log.all == ["1"])
    waterfall.clear()
    #expect(log.all == ["1", "0"])
  }

  @Test("a redirected request is under the host of its first URL")
  func redirectedHost() throws {
    play(
      ScriptedRequest(), (0, .queued(.init(url: "http://a/1"))),
      (0, .started(method: .get, url: "http://a/1")), (1, .redirected(to: "http://b/2", statusCode: 302)),
      (9, .ended(.response(statusCode: 200), nil)))
    play(
      ScriptedRequest(), (0, .queued(.init(url: "http://a/3"))), (9, .ended(.response(statusCode: 200), nil)))
    let picture = try SVGElements(waterfall.svg())
    #expect(picture.count("request answered") == 2)
    #expect(picture.count("host") == 1)
  }

  @Test("a broken body is a failure with any status, and a rejected status is shown")
  func failures() throws {
    let broken = Response(statusCode: 200, data: Data())
    let lost = TransferError.connectionLost(reason: "x")
    play(
      ScriptedRequest(), (0, .queued(.init(url: "http://a/1#part"))),
      (9, .ended(.failure(.underlying(lost, broken)), nil)))
    play(
      ScriptedRequest(), (0, .queued(.init(url: "http://a/2"))),
      (9, .ended(.failure(.statusCode(Response(statusCode: 503, data: Data()))), nil)))
    let picture = try SVGElements(waterfall.svg())
    #expect(picture.text.contains("failed · 9.0 ms"))
    #expect(picture.text.contains("503 · 9.0 ms"))
    #expect(!picture.text.contains("200"))
    #expect(picture.text.contains("GET 1"))
    #expect(!picture.text.contains("GET 1#part"))
  }

  @Test("is well-formed for any text, hides secrets, and loads no other files")
  func markup() throws {
    let url = "http://me:pw@h/<&\"\u{1}]]>?token=secret"
    play(
      ScriptedRequest(), (0, .queued(.init(method: .init(rawValue: "<"), url: url))),
      (1, .ended(.cancelled, nil)))
    waterfall.mark("<b>\u{FFFF}&", at: ScriptedRequest.origin)
    let svg = waterfall.svg(title: "</svg>")
    let picture = try SVGElements(svg)
    #expect(picture.text.contains("</svg>"))
    #expect(picture.text.contains("<b>\u{FFFD}&"))
    #expect(!svg.contains("secret"))
    #expect(!svg.contains("pw@"))
    #expect(svg.contains("prefers-color-scheme: dark"))
    #expect(svg.ranges(of: "url(").count == svg.ranges(of: "url(#hatch)").count)
    #expect(!svg.contains("<script") && !svg.contains("href"))
  }

  @Test("keeps the requests in flight and the newest that have ended, and states how many are not shown")
  func limit() throws {
    let waterfall = WaterfallPlugin(limit: 3)
    let scripts = (0..<10).map { _ in ScriptedRequest() }
    for (index, script) in scripts.enumerated() {
      waterfall.didObserve(script.event(index, .queued(.init(url: "http://a/\(index)"))))
    }
    #expect(waterfall.requestCount == 10)
    #expect(waterfall.omittedCount == 0)
    // The first request ends last, so it is among the newest.
    for script in scripts.reversed() { waterfall.didObserve(script.event(20, .ended(.cancelled, nil))) }
    // Events after the end are ignored.
    for script in scripts { waterfall.didObserve(script.event(21, .ended(.cancelled, nil))) }
    #expect(waterfall.requestCount == 3)
    #expect(waterfall.omittedCount == 7)
    #expect(waterfall.records.map(\.id) == scripts.prefix(3).map(\.id))
    #expect(waterfall.records.allSatisfy { $0.hasEnded })
    for index in 0..<150 { waterfall.mark("m\(index)", at: ScriptedRequest.origin + .milliseconds(index)) }
    let picture = try SVGElements(waterfall.svg())
    #expect(picture.text.contains("7 older ones are not shown"))
    #expect(picture.text.contains("m149"))
    #expect(!picture.text.contains("m49"))
    waterfall.clear()
    #expect(waterfall.requestCount == 0)
    let empty = try SVGElements(waterfall.svg())
    #expect(empty.text.contains("0 requests"))
  }

  @Test("forgets all requests when it is cleared, also those that were dropped before or are in flight")
  func cleared() throws {
    let waterfall = WaterfallPlugin(limit: 1)
    let scripts = [ScriptedRequest(), ScriptedRequest()]
    for script in scripts { waterfall.didObserve(script.event(0, .queued(.init(url: "http://a/")))) }
    for _ in 0..<2 {
      let script = ScriptedRequest()
      waterfall.didObserve(script.event(0, .queued(.init(url: "http://a/"))))
      waterfall.didObserve(script.event(1, .ended(.cancelled, nil)))
    }
    #expect(waterfall.omittedCount == 1)
    waterfall.clear()
    waterfall.didObserve(scripts[1].event(9, .ended(.response(statusCode: 200), nil)))
    #expect(waterfall.omittedCount == 0)
    #expect(waterfall.records.isEmpty)
    let text = try SVGElements(waterfall.svg()).text
    #expect(!text.contains("not shown"))
  }

  @Test("the tool tip of a request says whether its connection was new or kept")
  func connections() throws {
    for (index, isReused) in [false, true].enumerated() {
      play(
        ScriptedRequest(), (0, .queued(.init(url: "http://a/\(index)"))),
        (1, .started(method: .get, url: "http://a/\(index)")),
        (2, .connected(.init(address: "192.0.2.\(index)", port: 80, isReused: isReused))),
        (9, .ended(.response(statusCode: 200), nil)))
    }
    let text = try SVGElements(waterfall.svg()).text
    #expect(text.contains("over a new connection to 192.0.2.0:80"))
    #expect(text.contains("over the kept connection to 192.0.2.1:80"))
  }

  @Test("the tool tip of a request names no address if that is unknown, as for a Unix domain socket")
  func unknownAddress() throws {
    play(
      ScriptedRequest(), (0, .queued(.init(url: "http://a/1"))),
      (1, .started(method: .get, url: "http://a/1")), (2, .connected(.init(httpVersion: .http1_1))),
      (9, .ended(.response(statusCode: 200), nil)))
    #expect(try SVGElements(waterfall.svg()).text.contains("over a new connection, HTTP/1.1"))
  }

  @Test("labels of marks do not overlap")
  func labels() throws {
    play(
      ScriptedRequest(), (0, .queued(.init(url: "http://a/"))),
      (1_000, .ended(.response(statusCode: 200), nil)))
    for index in 0..<40 {
      waterfall.mark("key \(index)", at: ScriptedRequest.origin + .milliseconds(25 * index))
    }
    let long = "a label of thirty-two characters"
    waterfall.mark(long, at: ScriptedRequest.origin + .milliseconds(500))
    waterfall.mark(long, at: ScriptedRequest.origin + .milliseconds(1_000))
    let picture = try SVGElements(waterfall.svg())
    let after = (picture.elements["mark"] ?? []).filter { $0["x"] != nil }
    #expect(after.count > 10)
    for (_, lane) in Dictionary(grouping: after, by: { $0["y"] ?? "" }) {
      let places = lane.map { number($0, "x") }.sorted()
      #expect(zip(places, places.dropFirst()).allSatisfy { $1 - $0 > 30 })
    }
    // Near the right edge, a label would end at its mark, but there is no place for it.
    #expect((picture.elements["mark before"] ?? []).isEmpty)
    waterfall.clear()
    waterfall.mark("begin", at: ScriptedRequest.origin)
    waterfall.mark(long, at: ScriptedRequest.origin + .milliseconds(1_000))
    #expect(try SVGElements(waterfall.svg()).elements["mark before"]?.count == 1)
  }

  @Test("its text has at least 10 points on a page of 600")
  func legibility() throws {
    play(
      ScriptedRequest(), (0, .queued(.init(url: "http://a/"))),
      (1_000, .ended(.response(statusCode: 200), nil)))
    let svg = waterfall.svg()
    let width = try #require(svg.firstMatch(of: #/viewBox="0 0 (\d+)/#).flatMap { Double($0.1) })
    let sizes = svg.matches(of: /font(-size)?: (?<size>\d+)px/).compactMap { Double($0.output.size) }
    #expect(sizes.count > 3)
    #expect(sizes.allSatisfy { $0 * 600 / width >= 10 })
    let legend = try #require(try SVGElements(svg).elements["legend"])
    #expect(legend.map { number($0, "x") }.allSatisfy { $0 < width - 80 })
  }

  @Test("records the requests of any provider")
  func provider() async throws {
    let server = try LoopbackServer { $0.path == "/from" ? .redirect(to: "/to") : .text("there") }
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport(), plugins: [waterfall])
    _ = await provider.result(LoopbackTarget(server, "/from"))
    let picture = try SVGElements(waterfall.svg())
    #expect(picture.drawn("redirect").count == 1)
    #expect(picture.text.contains("GET from"))
    #expect(picture.text.contains("1 request, 1 answered, 1 redirected"))
  }
}

import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Trace contexts", .timeLimit(.minutes(5)))
struct TraceContextTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let parent = "b7ad6b7169203331"

  @Test("valid fields are unchanged after reading and writing")
  func valid() throws {
    for flags in ["00", "01"] {
      let text = "00-\(Self.trace)-\(Self.parent)-\(flags)"
      let context = try TraceContext(
        traceparent: text, tracestate: "congo=t61rcWkgMzE, rojo=00f067aa0ba902b7,,")
      #expect(context.traceparent == text)
      #expect(context.isSampled == (flags == "01"))
      #expect(context.state.text == "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7")
    }
    // Version 00 ignores the other bits of the flags.
    #expect(try TraceContext(traceparent: "00-\(Self.trace)-\(Self.parent)-ff").isSampled)
  }

  @Test("the additional parts of a later version are ignored, and it is sent as version 00")
  func later() throws {
    for rest in ["", "-", "-what-the-future-brings"] {
      let context = try TraceContext(traceparent: "cc-\(Self.trace)-\(Self.parent)-01\(rest)")
      #expect(context.traceparent == "00-\(Self.trace)-\(Self.parent)-01")
    }
  }

  @Test(
    "an invalid traceparent is an error",
    arguments: [
      "", "00", "ff-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-01-extra", "00-\(trace)-\(parent)-01-",
      "00-\(trace)-\(parent)-0", "00-\(trace)-\(parent)-0g", "0-\(trace)-\(parent)-01x",
      "cc-\(trace)-\(parent)-01x",
      "00-\(trace.dropLast())-\(parent)-01-",
      "00_\(trace)_\(parent)_01", " 00-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-+1",
    ])
  func invalid(text: String) {
    #expect(throws: TraceContextError.invalidTraceparent(text)) { try TraceContext(traceparent: text) }
  }

  @Test("an invalid identifier is an error that contains it")
  func identifiers() {
    for traceID in [Self.trace.uppercased(), String(repeating: "0", count: 32)] {
      #expect(throws: TraceContextError.invalidTraceID(traceID)) {
        try TraceContext(traceparent: "00-\(traceID)-\(Self.parent)-01")
      }
    }
    let parentID = String(repeating: "0", count: 16)
    #expect(throws: TraceContextError.invalidParentID(parentID)) {
      try TraceContext(traceparent: "00-\(Self.trace)-\(parentID)-01")
    }
    #expect(throws: TraceContextError.invalidTraceID("x")) {
      try TraceContext(traceID: "x", parentID: Self.parent)
    }
    #expect(throws: TraceContextError.invalidParentID("")) {
      try TraceContext(traceID: Self.trace, parentID: "")
    }
    #expect(throws: TraceContextError.invalidTraceID(Self.trace + "\r\n")) {
      try TraceContext(traceID: Self.trace + "\r\n", parentID: Self.parent)
    }
  }

  @Test(
    "an invalid tracestate is an error, and is dropped if it was received",
    arguments: [
      "a", "=1", "a=", "A=1", "1a=1", "a=b=c", "a=1,a=2", "a b=1", "a@b@c=1", "@a=1", "a@1b=1", "a=é",
      "a=\u{7F}",
      "\(String(repeating: "a", count: 257))=1", "a=\(String(repeating: "b", count: 257))",
      "\(String(repeating: "a", count: 242))@b=1", "a@\(String(repeating: "b", count: 15))=1",
      (0..<33).map { "a\($0)=1" }.joined(separator: ","), "a=1\r\nHost: evil",
    ])
  func state(text: String) throws {
    #expect(throws: TraceContextError.invalidTracestate(text)) { try TraceState(text) }
    let context = try TraceContext(traceparent: "00-\(Self.trace)-\(Self.parent)-01", tracestate: text)
    #expect(context.state == TraceState())
  }

  @Test(
    "members at the limits of the recommendation are valid",
    arguments: [
      "\(String(repeating: "a", count: 256))=1", "a=\(String(repeating: "b", count: 256))",
      "\(String(repeating: "1", count: 241))@\(String(repeating: "b", count: 14))=1", "a_-*/0= !\"~",
      (0..<32).map { "a\($0)=1" }.joined(separator: ","),
    ])
  func limits(text: String) throws {
    #expect(try TraceState(text).text == text)
  }

  @Test("random contexts are valid and differ, and a child stays in its trace, with the trace's state")
  func random() throws {
    let contexts = (0..<100).map { _ in TraceContext.random() }
    #expect(Set(contexts.map(\.traceID)).count == 100)
    for context in contexts { #expect(try TraceContext(traceparent: context.traceparent) == context) }
    let child = contexts[0].child()
    #expect(child.traceID == contexts[0].traceID)
    #expect(child.parentID != contexts[0].parentID)
    #expect(!TraceContext.random(isSampled: false).child().isSampled)
    let state = try TraceState("vendor=1")
    let parent = try TraceContext(traceID: Self.trace, parentID: Self.parent, state: state)
    #expect(parent.child().state == state)
  }

  @Test("the plugin sends both fields, or none without a context, and keeps the fields of a request")
  func plugin() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let state = try TraceState("vendor=1")
    let context = try TraceContext(traceID: Self.trace, parentID: Self.parent, state: state)
    let plugin = TraceContextPlugin { $0.path == "/none" ? nil : context }
    let provider = NetworkProvider<LoopbackTarget>(plugins: [plugin])
    _ = await provider.result(LoopbackTarget(server, "/a"))
    _ = await provider.result(LoopbackTarget(server, "/none"))
    _ = await provider.result(LoopbackTarget(server, "/own").with { $0.headers = ["Traceparent": "mine"] })
    let sent = server.log.requests.map { [$0.headers["traceparent"], $0.headers["tracestate"]] }
    #expect(sent == [[context.traceparent, "vendor=1"], [nil, nil], ["mine", nil]])
  }

  @Test("the plugin removes the tracestate of another trace, if its context has no state")
  func foreignState() throws {
    let context = try TraceContext(traceID: Self.trace, parentID: Self.parent)
    let plugin = TraceContextPlugin { _ in context }
    let url = URL(staticString: "http://h")
    var request = URLRequest(url: url)
    request.setValue("vendor=1", forHTTPHeaderField: "tracestate")
    let prepared = plugin.prepare(request, target: LoopbackTarget(url))
    #expect(prepared.value(forHTTPHeaderField: "traceparent") == context.traceparent)
    #expect(prepared.value(forHTTPHeaderField: "tracestate") == nil)
  }

  @Test("RequestID.current is the ID of the observed request while a plugin prepares it, and otherwise nil")
  func current() {
    let events = ObservedEvents()
    let log = Log()
    let plugin = TraceContextPlugin { _ in
      log("\(RequestID.current.map { "\($0)" } ?? "none")")
      return nil
    }
    let transport = ScriptedTransport { $0.respond() }
    let target = LoopbackTarget(URL(staticString: "http://h"))
    NetworkProvider<LoopbackTarget>(transport: transport, plugins: [plugin]).request(target) { _ in }
    NetworkProvider<LoopbackTarget>(transport: transport, plugins: [plugin, events]).request(target) { _ in
      log("\(RequestID.current.map { "\($0)" } ?? "none")")
    }
    #expect(log.all == ["none", "\(events.all[0].id)", "none"])
  }

  /// Logs `RequestID.current`, before and after a suspension.
  private struct SuspendingPlugin: AsyncPluginType {
    let log: Log

    func prepare(_ request: URLRequest, for target: any TargetType) async throws -> URLRequest {
      log("\(RequestID.current.map { "\($0)" } ?? "none")")
      await Task.yield()
      log("\(RequestID.current.map { "\($0)" } ?? "none")")
      return request
    }
  }

  @Test("RequestID.current is the ID of the observed request while an asynchronous plugin prepares it")
  func currentOfTask() async throws {
    let (events, log, ending) = (ObservedEvents(), Log(), CompletionStream())
    let provider = NetworkProvider<GitHub>(
      stubClosure: NetworkProvider.immediatelyStub, plugins: [SuspendingPlugin(log: log), events])
    provider.request(.zen) { result in
      log("\(RequestID.current.map { "\($0)" } ?? "none")")
      ending.completion(result)
    }
    _ = try await ending.next().get()
    let id = "\(events.all[0].id)"
    #expect(log.all == [id, id, "none"])
  }

  @Test("the steps of a nested request that follow its asynchronous plugin have no current request")
  func currentAfterTask() async throws {
    let (events, log, ending) = (ObservedEvents(), Log(), CompletionStream())
    let inner = NetworkProvider<GitHub>(
      stubClosure: NetworkProvider.immediatelyStub, plugins: [SuspendingPlugin(log: log)])
    let outer = TraceContextPlugin { _ in
      inner.request(.zen) { result in
        log("\(RequestID.current.map { "\($0)" } ?? "none")")
        ending.completion(result)
      }
      return nil
    }
    let target = LoopbackTarget(URL(staticString: "http://h"))
    let transport = ScriptedTransport { $0.respond() }
    NetworkProvider<LoopbackTarget>(transport: transport, plugins: [outer, events]).request(target) { _ in }
    _ = try await ending.next().get()
    #expect(log.all == ["none", "none", "none"])
  }

  @Test("RequestID.current is nil while a plugin prepares an unobserved request that another plugin starts")
  func currentOfNestedRequest() {
    let (events, log) = (ObservedEvents(), Log())
    let target = LoopbackTarget(URL(staticString: "http://h"))
    let transport = ScriptedTransport { $0.respond() }
    let inner = NetworkProvider<LoopbackTarget>(
      transport: transport,
      plugins: [
        TraceContextPlugin { _ in
          log("\(RequestID.current.map { "\($0)" } ?? "none")")
          return nil
        }
      ])
    let outer = TraceContextPlugin { _ in
      inner.request(target) { _ in }
      log("\(RequestID.current.map { "\($0)" } ?? "none")")
      return nil
    }
    NetworkProvider<LoopbackTarget>(transport: transport, plugins: [outer, events]).request(target) { _ in }
    #expect(log.all == ["none", "\(events.all[0].id)"])
  }
}

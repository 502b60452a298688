import Foundation
import MoyaCompatibility
import NetworkCore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private func use(_: Any...) {}

private enum GitHub: TargetType {
  case zen
  case repos(String)
  case image(String)
  case log
  case chat

  var baseURL: URL { URL(string: "https://api.github.com")! }
  var path: String { "/zen" }
}

private struct TokenStore {
  let token = "secret"
  func token() async throws -> String { "secret" }
}

private func calls() {
  let provider = NetworkProvider<GitHub>()
  let request = provider.request(.repos("ash")) { result in
    switch result {
    case .success(let response): print(response.statusCode)
    case .failure(let error): print(error)
    }
  }
  request.cancel()
}

private func download(_ provider: NetworkProvider<GitHub>, to file: URL) {
  provider.download(.image("large.iso"), to: file, progress: { print($0.progress) }) { result in
    print(result.map(\.fileURL))
  }
}

private func retries() {
  let provider = NetworkProvider<GitHub>(interceptors: [RetryPolicy(retryLimit: 3)])
  use(provider)
}

private func retryBudget() {
  let budget = RetryBudget(ratio: 0.2)
  let provider = NetworkProvider<GitHub>(interceptors: [RetryPolicy(budget: budget)])
  use(provider)
}

private func tokens(_ session: TokenStore) {
  let provider = NetworkProvider<GitHub>(plugins: [AccessTokenPlugin { _ in session.token }])
  use(provider)
}

private struct TokenPlugin: AsyncPluginType {
  let store: TokenStore

  func prepare(_ request: URLRequest, for target: any TargetType) async throws -> URLRequest {
    var request = request
    request.setValue("Bearer \(try await store.token())", forHTTPHeaderField: "Authorization")
    return request
  }
}

private func metrics() {
  let provider = NetworkProvider<GitHub>(plugins: [MetricsPlugin { print($0) }])
  use(provider)
}

private func logs() {
  let logger = NetworkLoggerPlugin(configuration: .init(logOptions: .verbose))
  let provider = NetworkProvider<GitHub>(plugins: [logger])
  use(provider)
}

private func time() {
  let time = ManualDelayScheduler()
  let provider = NetworkProvider<GitHub>(stubClosure: NetworkProvider.delayedStub(5), scheduler: time)
  provider.request(.zen) { print($0) }
  time.advance(by: .seconds(5))
}

private func session() {
  let configuration = URLSessionConfiguration.default
  configuration.headers = .default
  configuration.timeoutIntervalForRequest = 20
  let provider = NetworkProvider<GitHub>(session: Session(configuration: configuration))
  use(provider)
}

private func stubs() {
  let stubs = StubTable<GitHub>()
  stubs.add(path: "/zen", [.networkResponse(503, Data()), .networkResponse(200, Data("ok".utf8))])
  let provider = NetworkProvider<GitHub>(interceptors: [RetryPolicy()], stubs: stubs)
  use(provider)
}

private func parsers() throws {
  var parser = EventStreamParser()
  _ = try parser.append(Data("id: 7\ndata: one\ndata: two\n\n".utf8))
  var splitter = LineSplitter()
  _ = try splitter.append(Data("one\r\ntw".utf8))
  _ = try splitter.append(Data("o".utf8))
  _ = splitter.finish()
}

private func sockets(_ provider: NetworkProvider<GitHub>) async throws {
  let socket = try await provider.webSocket(.chat)
  try await socket.send(.text("hello"))
  for try await message in socket { print(message) }
}

private func streams(_ provider: NetworkProvider<GitHub>) async throws {
  for try await chunk in provider.stream(.log) { print(chunk.count) }
  for try await line in provider.stream(.log).lines() { print(line) }
  let stream = provider.stream(.log)
  print(try await stream.response.headers["Content-Type"] ?? "unknown")
  for try await chunk in stream {
    if chunk.contains(0) { break }
  }
}

private enum Exchange: TargetType {
  case feed

  var baseURL: URL { URL(string: "wss://exchange.example")! }
  var path: String { "/feed" }
}

private func stubbedWebSockets() {
  let time = ManualDelayScheduler()
  let stubs = StubTable<Exchange>()
  stubs.add(
    path: "/feed", [.webSocket([.receive(.text("+BTC")), .wait(.seconds(5)), .send(.text("BTC:100"))])])
  let provider = NetworkProvider<Exchange>(stubs: stubs, scheduler: time)
  use(provider)
  let echo = WebSocketScript { sent in sent }
  stubs.add(path: "/echo", [.webSocket(echo)])
}

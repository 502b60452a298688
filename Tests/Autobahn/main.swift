// Echoes the messages of the fuzzing server of the Autobahn test suite, case by case.
//
//   swift run ReactiveNetworkAutobahn ws://127.0.0.1:9001 ReactiveNetwork

import Foundation
import NetworkCore

struct Case: TargetType {
  let baseURL: URL
  let path: String
  let parameters: [String: String]

  var task: HTTPTask { .requestParameters(parameters: parameters, encoding: URLEncoding.queryString) }
  var method: HTTPMethod { .get }
  var headers: [String: String]? { nil }
}

guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1]) else {
  print("usage: ReactiveNetworkAutobahn URL AGENT")
  exit(2)
}
let agent = CommandLine.arguments[2]
let provider = NetworkProvider<Case>()
let options = WebSocketOptions(pingInterval: .zero)

/// Opens a WebSocket, calls a closure with each message, and waits for the end.
func connect(
  _ path: String, _ parameters: [String: String] = [:],
  _ receive: (WebSocket, WebSocketMessage) async throws -> Void = { _, _ in }
) async {
  do {
    let target = Case(baseURL: url, path: path, parameters: parameters)
    let socket = try await provider.webSocket(target, options: options)
    for try await message in socket { try await receive(socket, message) }
  } catch {
    // The suite judges how the client ends invalid connections.
  }
}

var count = 0
await connect("getCaseCount") { _, message in count = message.text.flatMap { Int($0) } ?? 0 }
print("\(count) cases")
for number in stride(from: 1, through: count, by: 1) {
  await connect("runCase", ["case": "\(number)", "agent": agent]) { socket, message in
    try await socket.send(message)
  }
}
await connect("updateReports", ["agent": agent])

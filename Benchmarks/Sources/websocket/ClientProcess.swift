import Foundation
import Processes

/// The clients that run in a process of this program, by name.
let clients: [(name: String, make: (_ port: Int) throws -> any Client)] = [
  ("libcurl in C", { ReferenceClient(port: $0) }),
  ("NetworkCore, async", { try AsyncClient(port: $0) }),
  ("NetworkCore, closure", { try ClosureClient(port: $0) }),
  ("closure on .transport", { try ClosureClient(port: $0, callbackQueue: .transport) }),
  ("rx.webSocket", { try RxClient(port: $0) }),
  ("NIOWebSocket", { NIOClient(port: $0) }),
]

/// The client's process: runs one workload, and exchanges lines with the parent.
///
/// - Parameters:
///   - name: the name of the client.
///   - words: the workload, the port of the server and the numbers of the workload.
/// - Throws: the error with which the workload fails.
func runClient(_ name: String, _ words: [String]) throws {
  let numbers = words.dropFirst(2).map { Double($0) ?? 0 }
  guard let port = Int(words[1]), let client = try clients.first(where: { $0.name == name })?.make(port)
  else {
    return
  }
  switch words[0] {
  case "echo":
    var load = EchoLoad(
      size: Int(numbers[0]), inFlight: Int(numbers[1]), compresses: words[4] == "true",
      seconds: numbers[3] / 10)
    // First a short run, so that objects that are created only once exist before the measurement.
    _ = try client.echo(load)
    load.seconds *= 10
    let (processor, begin) = (processorMicroseconds(), seconds())
    let count = try client.echo(load)
    ChildProcess.sendToParent("echoed", count, seconds() - begin, processorMicroseconds() - processor)
  case "hold":
    try client.hold(1)
    ChildProcess.sendToParent("ready")
    _ = readLine()
    try client.hold(Int(numbers[0]))
    ChildProcess.sendToParent("open")
    while readLine() != nil { ChildProcess.sendToParent("used", processorMicroseconds()) }
  default:
    while readLine() != nil {
      let close = try client.open(sending: Int(numbers[0]))
      ChildProcess.sendToParent("open")
      _ = readLine()
      let time = nanoseconds()
      close()
      ChildProcess.sendToParent("closed", time)
    }
  }
  exit(0)
}

private func processorMicroseconds() -> Double {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  func microseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e6 + Double(time.tv_usec) }
  return microseconds(usage.ru_utime) + microseconds(usage.ru_stime)
}

import EchoServer
import Foundation
import Processes

/// Measures clients in child processes against the echo server of this process.
struct Measurements {
  private static let samples = 5

  let port: UInt16
  /// The command that runs the client in Python; `nil` to skip it.
  let python: [String]?

  /// The names of the clients of a workload.
  func names(withPython: Bool) -> [String] {
    clients.map(\.name) + (withPython && python != nil ? ["Python websockets"] : [])
  }

  /// Measures the echo of several clients in turns, so that all meet the same disturbances; returns the best of
  /// several samples of each, because other programs can only add to it.
  func echoes(_ names: [String], _ load: EchoLoad) throws -> [EchoFigures] {
    var samples: [EchoFigures] = []
    for _ in 0..<Self.samples {
      for name in names { samples += try echo(name, load).map { [$0] } ?? [] }
    }
    return names.compactMap { name in
      samples.filter { $0.client == name }.min { $0.processorTime < $1.processorTime }
    }
  }

  private func echo(_ name: String, _ load: EchoLoad) throws -> EchoFigures? {
    let seconds = load.seconds / Double(Self.samples)
    let child = try start(name, "echo", load.size, load.inFlight, load.compresses, seconds)
    defer { child.terminate() }
    let numbers = child.receive().dropFirst().compactMap { Double($0) }
    guard numbers.count == 3, numbers[0] > 0 else { return nil }
    return EchoFigures(
      client: name, size: load.size, inFlight: load.inFlight, isCompressed: load.compresses,
      messagesPerSecond: numbers[0] / numbers[1], processorTime: numbers[2] / numbers[0])
  }

  func idle(_ name: String, sockets: Int, seconds: Double) throws -> IdleFigures? {
    let child = try start(name, "hold", sockets)
    defer { child.terminate() }
    guard child.receive() == ["ready"] else { return nil }
    let before = ProcessResources(of: child.identifier)
    let accepted = echo_server_accepted()
    child.send("go")
    guard child.receive() == ["open"], echo_server_accepted() - accepted == sockets else { return nil }
    // Let the work for the sockets that were just opened finish.
    usleep(500_000)
    let held = ProcessResources(of: child.identifier)
    let start = processorTime(of: child)
    usleep(UInt32(seconds * 1e6))
    let used = processorTime(of: child) - start
    return IdleFigures(
      client: name, sockets: sockets, memory: Double(held.memory - before.memory) / 1024 / Double(sockets),
      threads: held.threads, processorShare: used / 1e6 / seconds * 100)
  }

  /// The microseconds of processor time that a client which holds sockets has used.
  private func processorTime(of child: ChildProcess) -> Double {
    child.send("use")
    return child.receive().last.flatMap(Double.init) ?? .nan
  }

  /// Measures closing when nothing waits to be sent, or in the middle of sending a message.
  func closing(_ name: String, size: Int, rounds: Int) throws -> ClosingFigures? {
    let child = try start(name, "close", size)
    defer { child.terminate() }
    var times: [Double] = []
    for _ in 0..<rounds {
      var time: UInt64 = 0
      let (closed, dropped) = (echo_server_closed(&time), echo_server_dropped())
      child.send("open")
      guard child.receive() == ["open"] else { return nil }
      wait { size == 0 || echo_server_dropped() - dropped >= size / 16 }
      child.send("close")
      guard let begin = child.receive().last.flatMap(UInt64.init) else { return nil }
      guard wait(until: { echo_server_closed(&time) > closed }) else { return nil }
      // A message that was sent completely shows nothing.
      guard size == 0 || echo_server_dropped() - dropped < size else { continue }
      times.append((Double(time) - Double(begin)) / 1e6)
    }
    return ClosingFigures(
      client: name, size: size, median: times.percentile(0.5), percentile99: times.percentile(0.99))
  }

  /// Waits up to ten seconds for a condition; returns `false` if it is still not met.
  @discardableResult private func wait(until isMet: () -> Bool) -> Bool {
    let end = seconds() + 10
    while !isMet() {
      guard seconds() < end else { return false }
      usleep(50)
    }
    return true
  }

  private func start(_ name: String, _ workload: String, _ numbers: Any...) throws -> ChildProcess {
    let words = [workload, "\(port)"] + numbers.map { "\($0)" }
    guard let python, name == "Python websockets" else {
      return try ChildProcess(["--client", name] + words)
    }
    return try ChildProcess(Array(python.dropFirst()) + words, program: python[0])
  }
}

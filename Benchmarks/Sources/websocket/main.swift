import EchoServer
import Foundation
import Processes

// Compares WebSocket clients: `websocket [echo] [idle] [close] [--seconds N] [--rounds N] [--idle N] [--python
// PATH]`. Each client runs in a process of its own, and the server in this one.
let words = Array(CommandLine.arguments.dropFirst())
if words.first == "--client", words.count > 3 {
  try runClient(words[1], Array(words.dropFirst(2)))
  exit(0)
}

raiseDescriptorLimit()
let measurements = Measurements(port: echo_server_start(), python: findPython())
guard measurements.port != 0 else {
  print("skipped: no server")
  exit(0)
}
let duration = numericOption("--seconds", default: 2.0)
let rounds = numericOption("--rounds", default: 500)
let idleDuration = numericOption("--idle", default: 32.0)
let named = Set(words).intersection(["echo", "idle", "close"])
var figures = Figures()

func isWanted(_ workload: String) -> Bool { named.isEmpty || named.contains(workload) }

if isWanted("echo") {
  for (size, inFlight, compresses) in [
    (125, 1, false), (125, 64, false), (1 << 20, 1, false), (125, 64, true),
  ] {
    let load = EchoLoad(size: size, inFlight: inFlight, compresses: compresses, seconds: duration)
    // Neither NIO nor the reference compresses.
    let names = measurements.names(withPython: true).filter {
      !compresses || ["NetworkCore, closure", "Python websockets"].contains($0)
    }
    let rows = try measurements.echoes(names, load)
    EchoTable.print(rows, load)
    figures.echoes += rows
  }
}

if isWanted("idle") {
  for sockets in [1_000, 10_000] {
    print("\n\(sockets) idle sockets:")
    Table.printRow("", "KiB each", "threads", "CPU %")
    for name in measurements.names(withPython: true) {
      guard let row = try measurements.idle(name, sockets: sockets, seconds: idleDuration) else {
        Table.printRow(name, "failed")
        continue
      }
      figures.idle.append(row)
      Table.printRow(
        name, String(format: "%.1f", row.memory), "\(row.threads)", String(format: "%.2f", row.processorShare)
      )
    }
  }
}

if isWanted("close") {
  for size in [0, 16 << 20] {
    print("\nmilliseconds until the server sees the close\(size > 0 ? ", in the middle of a message" : ""):")
    Table.printRow("", "p50", "p99")
    for name in measurements.names(withPython: false) where name != "libcurl in C" {
      guard let row = try measurements.closing(name, size: size, rounds: rounds) else {
        Table.printRow(name, "failed")
        continue
      }
      figures.closings.append(row)
      Table.printRow(name, String(format: "%.2f", row.median), String(format: "%.2f", row.percentile99))
    }
  }
}

if named.isEmpty {
  let results = URL(filePath: #filePath).appending(path: "../../../results").standardizedFileURL
  let file = results.appending(path: "websocket.json")
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
  try encoder.encode(figures).write(to: file, options: .atomic)
  print("\nwritten: \(file.path())")
}

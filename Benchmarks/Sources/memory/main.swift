import Foundation
import LoopbackServer

// Run without arguments; the child processes receive their task as an argument.
let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case nil: try measureAll()
case "serve": try serve()
case "run" where arguments.count == 4: try measure(arguments[1], server: arguments[2], folder: arguments[3])
default: FileHandle.standardError.write(Data("usage: memory\n".utf8))
}

/// Measures each workload in a separate process, against a server in another process.
func measureAll() throws {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("memory-\(getpid())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { _ = try? FileManager.default.removeItem(at: folder) }
  let server = try ChildProcess(["serve"])
  defer { server.end() }
  guard let origin = server.readLine() else { throw BenchmarkError(reason: "the server did not start") }
  print("1 GiB over loopback; resident memory in KiB: before, at its peak, and the growth; seconds")
  for workload in TransferWorkload.all {
    let child = try ChildProcess(["run", workload.name, origin, folder.path])
    guard let line = child.readLine() else { throw BenchmarkError(reason: "\(workload.name) failed") }
    print(line)
    child.end()
  }
}

/// Runs one workload and prints its figures.
func measure(_ name: String, server: String, folder: String) throws {
  guard let workload = TransferWorkload.all.first(where: { $0.name == name }), let url = URL(string: server)
  else {
    throw BenchmarkError(reason: "there is no workload \(name)")
  }
  let folder = URL(fileURLWithPath: folder).appendingPathComponent(name)
  // A first run with little data, so that objects that are created only once exist before the measurement.
  try workload.run(url, 1 << 20, folder)
  let before = try ResidentMemory.resetPeak()
  let start = Date()
  try workload.run(url, 1 << 30, folder)
  let seconds = Date().timeIntervalSince(start)
  let peak = try ResidentMemory.peak()
  let title = name.padding(toLength: 36, withPad: " ", startingAt: 0)
  print(title, before, peak, peak - before, String(format: "%.1f", seconds))
}

/// Serves N bytes under `/N`, and accepts any body, until the parent has ended.
func serve() throws {
  var options = LoopbackServer.Options()
  options.keptBodyBytes = 0
  options.bodyLimit = .max
  options.keptRequests = 0
  let server = try LoopbackServer(options: options) { request in
    Int(request.path.dropFirst()).map { .repeating(7, count: $0) } ?? .text("\(request.bodyLength)")
  }
  print(server.origin)
  fflush(nil)
  while readLine() != nil {}
}

struct BenchmarkError: Error {
  let reason: String
}

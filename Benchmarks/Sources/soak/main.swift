import Foundation
import Processes
import Synchronization

// Sends requests of all kinds to a server that fails, from a process that is disturbed:
// `soak [--minutes 1] [--concurrency 64] [--calm] [--only NAME]`. Exits with 1 if anything was wrong.
if CommandLine.arguments.contains("--serve") {
  try serve()
  exit(0)
}
raiseDescriptorLimit()

let folder = FileManager.default.temporaryDirectory.appending(path: "soak-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
// Temporary files of the library are counted there.
setenv("TMPDIR", folder.path(), 1)

let duration = numericOption("--minutes", default: 1.0) * 60
let server = Mutex(try ChildProcess(["--serve"]))
let description: ServerDescription = try answer()
let addresses = ServerAddresses(
  plain: "http://soak.test:\(description.port)", secure: "https://soak.test:\(description.securePort)",
  closedPort: try closedPort())
let disturber = Disturber(
  Disturbance.all(command: command, stopSeconds: 10),
  pause: max(1, duration / 180))

/// Sends the server a command, and waits until it is done.
@Sendable func command(_ words: String) {
  server.withLock { server in
    server.send(words)
    _ = server.receive()
  }
}

/// Reads the server's next line.
func answer<Value: Decodable>() throws -> Value {
  let line = server.withLock { $0.receive() }.joined(separator: " ")
  return try JSONDecoder().decode(Value.self, from: Data(line.utf8))
}

/// The resources of this process, and the number of its temporary files.
func show(_ name: String, _ count: Int) -> ProcessResources {
  let resources = ProcessResources()
  let files = FileManager.default.enumerator(atPath: folder.path())?.allObjects.count ?? 0
  print("  \(name.padded(to: 8))\("\(count)".padded(to: 10, left: true)) runs, \(resources), \(files) files")
  fflush(nil)
  return resources
}

/// Runs the soak, and releases the client and everything that it holds before it returns.
func run() throws -> (results: SoakTest.Results, tenths: [ProcessResources]) {
  let client = try SoakClient(addresses, folder: folder, authorities: Data(description.authorities.utf8))
  let name = numericOption("--only", default: "")
  let scenarios = addresses.scenarios.filter { name.isEmpty || $0.name.contains(name) }
  guard !scenarios.isEmpty else {
    print("No scenario's name contains \(name)")
    exit(2)
  }
  let test = SoakTest(scenarios, client, disturber)
  test.begin(concurrency: numericOption("--concurrency", default: 64))
  if !CommandLine.arguments.contains("--calm") { disturber.start() }
  var tenths: [ProcessResources] = []
  for tenth in 1...10 {
    Thread.sleep(forTimeInterval: duration / 10)
    tenths.append(show("\(tenth)0 %", test.count))
    // The last tenth shows that the client recovers.
    if tenth == 9 { disturber.end() }
  }
  return (test.end(within: 60), tenths)
}

let before = show("before", 0)
let (results, tenths) = try run()
// The loop's thread closes its connections asynchronously, and Dispatch keeps idle threads for seconds.
for _ in 0..<15 where ProcessResources().threads > before.threads + 16 { sleep(1) }
sleep(1)
let after = show("after", results.runs)
server.withLock { $0.send("report") }
let report: ServerReport = try answer()
server.withLock { $0.terminate() }

print("\n" + table(results.tallies, report))
print("\ndisturbances:")
for (name, count) in disturber.counts.sorted(by: { $0.key < $1.key }) {
  print("  \("\(count)".padded(to: 9, left: true))  \(name)")
}
var wrong = results.wrong
let orders = results.tallies.filter { $0.key.hasPrefix("order") }.values.reduce(into: Tally()) { $0 += $1 }
print("\n\(report.orders) orders at the server, \(report.repeatedOrders) of them twice; \(orders.count) sent")
if report.repeatedOrders > 0 { wrong.append("\(report.repeatedOrders) orders came twice") }
if report.orders < orders.complete || report.orders > orders.count {
  wrong.append("\(orders.complete) of \(orders.count) orders are complete, but \(report.orders) came")
}
if results.runs < 100 { wrong.append("hardly any runs") }
if after.descriptors > before.descriptors + 8 {
  wrong.append("\(after.descriptors - before.descriptors) descriptors are left")
}
if after.threads > before.threads + 16 { wrong.append("\(after.threads - before.threads) threads are left") }
if let middle = tenths[4...].first, let end = tenths.last, end.memory > middle.memory + 32 << 20 {
  wrong.append("the memory grew by \((end.memory - middle.memory) >> 20) MiB in the second half")
}
let left = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
for name in left where name != "cache" && name != "upload" { wrong.append("the file \(name) is left") }
try FileManager.default.removeItem(at: folder)
print("\(results.wrongCount) wrong outcomes")
for words in wrong { print("  \(words)") }
exit(wrong.isEmpty ? 0 : 1)

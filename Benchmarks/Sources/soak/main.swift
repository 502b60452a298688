import Foundation
import Processes

// Sends a mix of normal requests and faults: `soak [--seconds 600] [--concurrency 64]`. Exits with 1 if
// anything was wrong.
if CommandLine.arguments.contains("--serve") {
  try serve()
  exit(0)
}

func show(_ name: String, _ facts: ProcessResources) {
  print("  \(name.padding(toLength: 8, withPad: " ", startingAt: 0))\(facts)")
  fflush(nil)
}

let duration = numericOption("--seconds", default: 10.0)
let server = try ChildProcess(["--serve"])
let port = server.receive().last ?? ""
let scenarios = Scenario.all(origin: "http://127.0.0.1:\(port)", closedPort: try closedPort())

/// Runs the soak, and releases the transport and everything that it holds before it returns.
func run() throws -> (results: SoakTest.Results, middle: ProcessResources, end: ProcessResources) {
  let test = try SoakTest(scenarios)
  test.begin(concurrency: numericOption("--concurrency", default: 64))
  Thread.sleep(forTimeInterval: min(duration / 10, 5))
  show("start", ProcessResources())
  Thread.sleep(forTimeInterval: duration / 2)
  let middle = ProcessResources()
  show("middle", middle)
  Thread.sleep(forTimeInterval: duration / 2)
  let end = ProcessResources()
  show("end", end)
  return (test.end(within: 30), middle, end)
}

let before = ProcessResources()
show("before", before)
let begin = seconds()
let (results, middle, end) = try run()
// The loop's thread closes its connections asynchronously.
usleep(500_000)
let after = ProcessResources()
show("after", after)
server.terminate()

print("\(results.requests) requests in \(Int(seconds() - begin)) s; faults:")
for (name, count) in results.faults.sorted(by: { $0.key < $1.key }) { print("  \(count) \(name)") }
var wrong = results.wrong
if results.requests < 100 { wrong.append("hardly any requests") }
if after.descriptors > before.descriptors + 8 {
  wrong.append("\(after.descriptors - before.descriptors) descriptors are left")
}
if after.threads > before.threads + 16 { wrong.append("\(after.threads - before.threads) threads are left") }
if end.memory > middle.memory + 32 << 20 {
  wrong.append("the memory grew by \((end.memory - middle.memory) >> 20) MiB in the second half")
}
print("\(results.wrongCount) wrong outcomes")
for words in wrong { print("  \(words)") }
exit(wrong.isEmpty ? 0 : 1)

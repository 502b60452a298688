import Foundation
import Processes

// Sends a mix of normal requests and faults: `soak [--seconds 600] [--concurrency 64]`. Exits with 1 if
// anything was wrong.
if CommandLine.arguments.contains("--serve") {
  try serve()
  exit(0)
}

func show(_ name: String, _ facts: ProcessFacts) {
  print("  \(name.padding(toLength: 8, withPad: " ", startingAt: 0))\(facts)")
  fflush(nil)
}

let duration = number("--seconds", orElse: 10.0)
let server = try Worker(["--serve"])
let port = server.receive().last ?? ""
let scenarios = Scenario.all(origin: "http://127.0.0.1:\(port)", closedPort: try closedPort())

/// Runs the soak, and releases the transport and everything that it holds before it returns.
func run() throws -> (tally: Soak.Tally, middle: ProcessFacts, end: ProcessFacts) {
  let soak = try Soak(scenarios)
  soak.begin(concurrency: number("--concurrency", orElse: 64))
  Thread.sleep(forTimeInterval: min(duration / 10, 5))
  show("start", ProcessFacts())
  Thread.sleep(forTimeInterval: duration / 2)
  let middle = ProcessFacts()
  show("middle", middle)
  Thread.sleep(forTimeInterval: duration / 2)
  let end = ProcessFacts()
  show("end", end)
  return (soak.end(within: 30), middle, end)
}

let before = ProcessFacts()
show("before", before)
let begin = seconds()
let (tally, middle, end) = try run()
// The loop's thread closes its connections asynchronously.
usleep(500_000)
let after = ProcessFacts()
show("after", after)
server.end()

print("\(tally.requests) requests in \(Int(seconds() - begin)) s; faults:")
for (name, count) in tally.faults.sorted(by: { $0.key < $1.key }) { print("  \(count) \(name)") }
var wrong = tally.wrong
if tally.requests < 100 { wrong.append("hardly any requests") }
if after.descriptors > before.descriptors + 8 {
  wrong.append("\(after.descriptors - before.descriptors) descriptors are left")
}
if after.threads > before.threads + 16 { wrong.append("\(after.threads - before.threads) threads are left") }
if end.memory > middle.memory + 32 << 20 {
  wrong.append("the memory grew by \((end.memory - middle.memory) >> 20) MiB in the second half")
}
print("\(tally.wrongCount) wrong outcomes")
for words in wrong { print("  \(words)") }
exit(wrong.isEmpty ? 0 : 1)

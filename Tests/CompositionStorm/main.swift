import Foundation
import ReactiveNetworkCompositions

// Usage: ReactiveNetworkCompositionStorm [--first] [--patience SECONDS] [NUMBER OF PROGRAMS [FIRST SEED]]
//
// `--first` ends the process at the first failure, without looking for a smaller program.
var options = Storm.Options()
options.checksThreads = true
options.report = { print($0) }
var numbers: [UInt64] = []
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
  switch argument {
  case "--first":
    options.findsSmallest = false
    options.report = { failure in
      print(failure)
      exit(1)
    }
  case "--patience": options.patience = arguments.popFirst().flatMap { Int($0) } ?? options.patience
  default: numbers += [UInt64(argument)].compactMap { $0 }
  }
}
let count = numbers.first ?? 20_000
let first = numbers.dropFirst().first ?? 1
let clock = ContinuousClock()
let start = clock.now
let failures = try Storm(options).failures(ofSeeds: first..<(first + count))
var processorTime = timespec()
clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &processorTime)
print(
  "\(count) programs from seed \(first): \(failures.count) failures, \(clock.now - start), processor \(processorTime.tv_sec) s"
)
exit(failures.isEmpty ? 0 : 1)

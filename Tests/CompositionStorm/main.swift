import Foundation
import ReactiveNetworkCompositions

// Usage: ReactiveNetworkCompositionStorm [NUMBER OF PROGRAMS] [FIRST SEED]
let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let count = arguments.first ?? 20_000
let first = arguments.dropFirst().first ?? 1
let clock = ContinuousClock()
let start = clock.now
let failures = try Storm().failures(ofSeeds: first..<(first + count))
for failure in failures { print(failure) }
print("\(count) programs from seed \(first): \(failures.count) failures, \(clock.now - start)")
exit(failures.isEmpty ? 0 : 1)

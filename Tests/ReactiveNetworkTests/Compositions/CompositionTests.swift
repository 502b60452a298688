import Foundation
import ReactiveNetworkCompositions
import Testing

@Suite("Random compositions of layers, operators, faults and cancels", .timeLimit(.minutes(10)))
struct CompositionTests {
  @Test("300 programs keep every promise, by the servers' logs")
  func storm() async throws {
    var options = Storm.Options()
    options.concurrency = 8
    let storm = try Storm(options)
    let failures = await withCheckedContinuation { done in
      Thread.detachNewThread { done.resume(returning: storm.failures(ofSeeds: 1..<301)) }
    }
    #expect(failures.isEmpty, "\(failures.map(\.description).joined(separator: "\n"))")
  }

  @Test("a seed gives the same program each time")
  func seeds() {
    for seed in 0..<100 as Range<UInt64> {
      #expect(Composition(seed: seed).description == Composition(seed: seed).description)
    }
  }
}

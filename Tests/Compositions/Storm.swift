import Dispatch
import Foundation
import ReactiveNetworkLock

/// Runs many programs at a time on the same servers, transports and cache.
public final class Storm: Sendable {
  /// A program that broke a promise, and the smallest one like it that does.
  public struct Failure: Sendable, CustomStringConvertible {
    /// The seed of the program.
    public let seed: UInt64
    /// The smallest program that was found to break a promise.
    public let smallest: Composition
    /// The promises that the smallest program broke.
    public let reasons: [String]

    /// The seed, the parts and the reasons.
    public var description: String {
      "seed \(seed): \(smallest)\n  " + reasons.joined(separator: "\n  ")
    }
  }

  fileprivate struct State {
    var next = 0
    var failures: [Failure] = []
  }

  /// Attempts to fail again, because a fault may need an unlucky moment.
  private static let repetitions = 5

  private let service: Service
  private let numbers = Lock(0)

  /// Starts the servers and transports.
  ///
  /// - Throws: the error of a server or transport that cannot be made.
  public init() throws { service = try Service() }

  /// Runs programs, and makes those that fail smaller.
  ///
  /// - Parameters:
  ///   - seeds: the seeds of the programs.
  ///   - concurrency: the number of programs at a time.
  /// - Returns: the failures, at most ten or so; empty if every program kept every promise.
  public func failures(ofSeeds seeds: Range<UInt64>, concurrency: Int = 32) -> [Failure] {
    let state = Lock(State())
    let ended = DispatchGroup()
    for _ in 0..<concurrency {
      ended.enter()
      Thread.detachNewThread {
        while let index = state.withLock({ $0.take(seeds.count) }) {
          let composition = Composition(seed: seeds.lowerBound + UInt64(index))
          let reasons = self.violations(of: composition)
          guard !reasons.isEmpty else { continue }
          let failure = self.smallest(composition, reasons)
          state.withLock { $0.failures.append(failure) }
        }
        ended.leave()
      }
    }
    ended.wait()
    let leftovers = service.leftovers(within: 30)
    var failures = state.withLock { $0.failures }
    if !leftovers.isEmpty {
      failures.append(
        Failure(seed: seeds.lowerBound, smallest: Composition(seed: seeds.lowerBound), reasons: leftovers))
    }
    return failures
  }

  private func violations(of composition: Composition) -> [String] {
    let number = numbers.withLock { number in
      number += 1
      return number
    }
    return ProgramRun(composition, number: number, on: service).violations()
  }

  private func smallest(_ composition: Composition, _ reasons: [String]) -> Failure {
    var (smallest, found) = (composition, reasons)
    var candidates = smallest.smaller
    while let candidate = candidates.popLast() {
      for _ in 0..<Self.repetitions {
        let reasons = violations(of: candidate)
        guard !reasons.isEmpty else { continue }
        (smallest, found) = (candidate, reasons)
        candidates = smallest.smaller
        break
      }
    }
    return Failure(seed: composition.seed, smallest: smallest, reasons: found)
  }
}

extension Storm.State {
  /// Returns the index of the next program; `nil` if there is none, or if enough have failed.
  fileprivate mutating func take(_ count: Int) -> Int? {
    guard next < count, failures.count < 10 else { return nil }
    defer { next += 1 }
    return next
  }
}

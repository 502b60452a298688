import Dispatch
import Foundation
import ReactiveNetworkLock

/// Runs many programs at a time on the same servers, transports and cache.
public final class Storm: Sendable {
  /// A program that broke a promise, and the smallest one like it that does.
  public struct Failure: Sendable, CustomStringConvertible {
    /// The seed of the program.
    public let seed: UInt64
    /// The number of programs that had been taken when the program ended.
    public let programs: Int
    /// The smallest program that was found to break a promise.
    public let smallest: Composition
    /// The promises that the smallest program broke.
    public let reasons: [String]

    /// The seed, the parts and the reasons.
    public var description: String {
      "seed \(seed), after \(programs) programs: \(smallest)\n  " + reasons.joined(separator: "\n  ")
    }
  }

  /// The bounds of a storm.
  public struct Options: Sendable {
    /// The number of programs at a time.
    public var concurrency = 32
    /// The longest wait for the end of a program, in seconds.
    public var patience = 60
    /// The number of failures that ends the storm.
    public var failures = 10
    /// Whether to look for smaller programs that fail.
    public var findsSmallest = true
    /// Whether nothing else in the process uses transports, so that threads can be counted.
    public var checksThreads = false
    /// Receives each failure at once.
    public var report: @Sendable (Failure) -> Void = { _ in }

    /// Creates the bounds of a long storm.
    public init() {}
  }

  fileprivate struct State {
    var next = 0
    var failures: [Failure] = []
  }

  /// Attempts to fail again, because a fault may need an unlucky moment.
  private static let repetitions = 5

  private let service: Service
  private let options: Options
  private let numbers = Lock(0)

  /// Starts the servers and transports.
  ///
  /// - Parameter options: the bounds of the storm.
  /// - Throws: the error of a server or transport that cannot be made.
  public init(_ options: Options = Options()) throws {
    service = try Service()
    self.options = options
  }

  /// Runs programs, and makes those that fail smaller.
  ///
  /// - Parameter seeds: the seeds of the programs.
  /// - Returns: the failures; empty if every program kept every promise.
  public func failures(ofSeeds seeds: Range<UInt64>) -> [Failure] {
    let state = Lock(State())
    let ended = DispatchGroup()
    for _ in 0..<options.concurrency {
      ended.enter()
      Thread.detachNewThread {
        while let index = state.withLock({ $0.take(seeds.count, self.options.failures) }) {
          let composition = Composition(seed: seeds.lowerBound + UInt64(index))
          let reasons = self.confirmedViolations(of: composition)
          guard !reasons.isEmpty else { continue }
          let failure = self.smallest(composition, reasons, state.withLock { $0.next })
          state.withLock { $0.failures.append(failure) }
          self.options.report(failure)
        }
        ended.leave()
      }
    }
    ended.wait()
    let (taken, failures) = state.withLock { ($0.next, $0.failures) }
    let leftovers = service.leftovers(within: options.patience, checksThreads: options.checksThreads)
    guard !leftovers.isEmpty else { return failures }
    let first = Composition(seed: seeds.lowerBound)
    let failure = Failure(seed: first.seed, programs: taken, smallest: first, reasons: leftovers)
    options.report(failure)
    return failures + [failure]
  }

  /// Returns the promises that a program breaks; one that a busy system seems to break must be broken again.
  private func confirmedViolations(of composition: Composition) -> [String] {
    let reasons = violations(of: composition)
    guard reasons == [ProgramRun.manyCompute] else { return reasons }
    return (0..<2).allSatisfy { _ in !violations(of: composition).isEmpty } ? reasons : []
  }

  private func violations(of composition: Composition) -> [String] {
    let number = numbers.withLock { number in
      number += 1
      return number
    }
    let run = ProgramRun(composition, number: number, on: service, patience: options.patience)
    return run.violations()
  }

  private func smallest(_ composition: Composition, _ reasons: [String], _ programs: Int) -> Failure {
    var (smallest, found) = (composition, reasons)
    var candidates = options.findsSmallest ? smallest.smaller : []
    while let candidate = candidates.popLast() {
      for _ in 0..<Self.repetitions {
        let reasons = violations(of: candidate)
        guard !reasons.isEmpty else { continue }
        (smallest, found) = (candidate, reasons)
        candidates = smallest.smaller
        break
      }
    }
    return Failure(seed: composition.seed, programs: programs, smallest: smallest, reasons: found)
  }
}

extension Storm.State {
  /// Returns the index of the next program; `nil` if there is none, or if enough have failed.
  fileprivate mutating func take(_ count: Int, _ limit: Int) -> Int? {
    guard next < count, failures.count < limit else { return nil }
    defer { next += 1 }
    return next
  }
}

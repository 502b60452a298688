import Disturbances
import Foundation
import NetworkCore
import Processes
import Synchronization

/// Something that happens to the client or to the server, and is over after a while.
struct Disturbance: Sendable {
  let name: String
  /// Begins it; `nil` for one that is over when it has begun.
  let begin: @Sendable () -> Void
  var end: (@Sendable () -> Void)?

  /// All disturbances.
  ///
  /// - Parameters:
  ///   - command: sends a command to the server, and returns when it is done.
  ///   - stopSeconds: the seconds for which this process is stopped.
  /// - Returns: the disturbances.
  static func all(command: @escaping @Sendable (String) -> Void, stopSeconds: Int) -> [Disturbance] {
    [
      Disturbance(name: "the server restarts") { command("restart") },
      Disturbance(name: "the server has another certificate") { command("rotate") },
      Disturbance(name: "the clock is an hour fast") {
        disturb_clock(3_600)
      } end: {
        disturb_clock(0)
      },
      Disturbance(name: "the clock is an hour slow") {
        disturb_clock(-3_600)
      } end: {
        disturb_clock(0)
      },
      Disturbance(name: "the address changes") { _ = disturb_connections() },
      Disturbance(name: "names are not found") {
        disturb_names(true)
      } end: {
        disturb_names(false)
      },
      Disturbance(name: "descriptors are used up") {
        disturb_descriptors(true)
      } end: {
        disturb_descriptors(false)
      },
      Disturbance(name: "the disk is full") {
        disturb_disk(true)
      } end: {
        disturb_disk(false)
      },
      Disturbance(name: "the process forks") { _ = disturb_by_fork() },
      Disturbance(name: "the process is stopped") { stopProcess(seconds: stopSeconds) },
    ]
  }

  private static func stopProcess(seconds: Int) {
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", "kill -STOP \(getpid()); sleep \(seconds); kill -CONT \(getpid())"]
    guard (try? shell.run()) != nil else { return }
    shell.waitUntilExit()
  }
}

/// Disturbs the process again and again, on a thread of its own, and knows when it did.
final class Disturber: Sendable {
  private struct State {
    var counts: [String: Int] = [:]
    var isActive = false
    var lastEnd = 0.0
    var isEnding = false
  }

  /// The seconds for which a disturbance may have consequences after its end.
  private static let aftermath = 4.0
  private let state = Mutex(State())
  private let disturbances: [Disturbance]
  private let pause: Double

  init(_ disturbances: [Disturbance], pause: Double) {
    self.disturbances = disturbances
    self.pause = pause
  }

  /// How often each has happened.
  var counts: [String: Int] { state.withLock { $0.counts } }

  /// Whether a disturbance may have changed the outcome of a run.
  ///
  /// - Parameter begin: the time at which the run began.
  /// - Returns: `true` if one was active during the run, or ended shortly before.
  func mayHaveDisturbed(since begin: Double) -> Bool {
    state.withLock { $0.isActive || $0.lastEnd + Self.aftermath > begin }
  }

  func start() { Thread.detachNewThread { self.run() } }

  /// Lets no other disturbance begin.
  func end() { state.withLock { $0.isEnding = true } }

  private func run() {
    while true {
      for disturbance in disturbances.shuffled() {
        Thread.sleep(forTimeInterval: pause)
        guard
          state.withLock({ state in
            if !state.isEnding { state.isActive = true }
            return !state.isEnding
          })
        else { return }
        disturbance.begin()
        if let end = disturbance.end {
          Thread.sleep(forTimeInterval: 1)
          end()
        }
        state.withLock { state in
          state.isActive = false
          state.lastEnd = seconds()
          state.counts[disturbance.name, default: 0] += 1
        }
      }
    }
  }
}

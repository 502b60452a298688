import Foundation
import NetworkCore
import RxLite
import Synchronization

/// A scheduler other than that of the main actor.
let background = ConcurrentDispatchQueueScheduler(qos: .default)

let words = Observable.just(["ada", "bob"], scheduler: background)
let number = Observable.just(1, scheduler: background)

/// A request whose stub responds on a background thread.
struct Greeting: TargetType {
  var baseURL: URL { URL(string: "https://greeting.example")! }
  var path: String { "/" }
  var sampleData: Data { Data("hello".utf8) }
}

private let lines = Mutex(0)

/// Prints a line; the check compares all lines with the file `output`.
func report(_ pipeline: String, _ value: any Sendable) {
  lines.withLock { count in
    print("\(pipeline): \(value)")
    count += 1
  }
}

/// Runs the main queue until this number of lines has been printed.
func finish(lines count: Int) {
  let deadline = Date(timeIntervalSinceNow: 60)
  while lines.withLock({ $0 }) < count, Date() < deadline {
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
  }
}

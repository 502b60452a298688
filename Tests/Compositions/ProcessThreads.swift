import Foundation

/// The threads of this process.
enum ProcessThreads {
  /// Returns the number of threads with a name; 0 on systems that do not list them.
  static func count(named name: String) -> Int {
    let folder = "/proc/self/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.count { thread in
      (try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8))?.hasPrefix(name) == true
    }
  }

  /// Uses processor time of the calling thread.
  static func compute(microseconds: Int) {
    let end = processorTime + microseconds * 1_000
    var numbers = SplitMix64(seed: 1)
    while processorTime < end {
      for _ in 0..<2_000 { _ = numbers.next() }
    }
  }

  /// The processor time of the calling thread, in nanoseconds.
  private static var processorTime: Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}

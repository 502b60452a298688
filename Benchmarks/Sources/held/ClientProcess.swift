import Foundation
import Processes
import Synchronization

/// The client's process: makes one request, waits for a line of input, then starts all requests and waits
/// until they have ended.
///
/// - Parameters:
///   - name: the name of the client.
///   - root: the server's root URL, with a slash at its end.
///   - requests: the number of requests.
/// - Throws: the error with which creating the client fails.
func runClient(_ name: String, root: String, requests: Int) throws {
  guard let send = try clients.first(where: { $0.name == name })?.make(requests) else { return }
  let remaining = Atomic(1)
  let failures = Atomic(0)
  let end = DispatchSemaphore(value: 0)
  func start(_ path: String) {
    send(root + path) { isSuccess in
      if !isSuccess { failures.add(1, ordering: .relaxed) }
      if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { end.signal() }
    }
  }
  start("at-once")
  end.wait()
  remaining.store(requests, ordering: .releasing)
  ChildProcess.sendToParent("ready")
  guard readLine() != nil else { return }
  let begin = seconds()
  for _ in 0..<requests { start("held") }
  ChildProcess.sendToParent("started", seconds() - begin)
  end.wait()
  ChildProcess.sendToParent("ended", failures.load(ordering: .relaxed))
  // Stay alive until the parent has measured this process.
  _ = readLine()
}

import Foundation
import RxLite
import RxLiteTesting
import Testing
import XCTest

private enum Failure: Error { case one, two }

@Suite("assertions for XCTest", .timeLimit(.minutes(5)))
struct XCTAssertionTests {
  // A single test, because XCTest has only one running test at a time.
  @Test("equal events pass, and different ones fail the running test")
  func assertions() async {
    #expect(
      await failures {
        let events: [SingleEvent<Int>] = [.success(1), .failure(Failure.one)]
        XCTAssertEqual(events, [.success(1), .failure(Failure.one)])
        XCTAssertEqual([MaybeEvent.success(1), .completed], [.success(1), .completed])
        XCTAssertEqual([CompletableEvent.error(Failure.one)], [.error(Failure.one)])
        XCTAssertEqual([Recorded.next(1, 2)], [.next(1, 2)])
        XCTAssertRecordedElements([.next(1, 2), .next(3, 4)], [2, 4])
      } == [])
    let event: SingleEvent<Int> = .success(1)
    let failure: SingleEvent<Int> = .failure(Failure.one)
    func here(_ line: Int = #line) -> [String] { ["XCTAssertionTests.swift:\(line)"] }
    #expect(await failures { XCTAssertEqual([event], [.success(2)]) } == here())
    #expect(await failures { XCTAssertEqual([event], [event, event]) } == here())
    #expect(await failures { XCTAssertEqual([failure], [.failure(Failure.two)]) } == here())
    #expect(await failures { XCTAssertEqual([failure], [event]) } == here())
    #expect(await failures { XCTAssertRecordedElements([.next(1, 2)], [3]) } == here())
    #expect(await failures { XCTAssertRecordedElements([.next(1, 2), .completed(3)], [2]) } == here())
    #expect(
      await failures { XCTAssertRecordedElements([.next(1, 2), .error(3, Failure.one)], [2]) } == here())
  }

  /// Returns the places at which an XCTest with this body fails.
  ///
  /// It runs on a separate thread: XCTest waits for a task in a busy loop, and on one processor that would
  /// block the only thread that runs tasks.
  private func failures(_ body: @escaping @Sendable () -> Void) async -> [String] {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let test = FailureRecordingTestCase(name: "inner") { _ in body() }
        test.run()
        continuation.resume(returning: test.failures)
      }
    }
  }
}

/// Records its failures instead of reporting them.
private final class FailureRecordingTestCase: XCTestCase {
  private(set) var failures: [String] = []

  override func recordFailure(
    withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool
  ) {
    failures.append("\(filePath.split(separator: "/").last ?? ""):\(lineNumber)")
  }
}

public import Dispatch
public import RxLite

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A scheduler that reports a failure whenever it is used, for tests that check that code needs no scheduler.
///
/// It runs nothing. The closure passes the message to the test framework, here Swift Testing; in an XCTest it
/// calls `XCTFail($0)`.
///
/// ```swift
/// let unused = UnimplementedScheduler { Issue.record("\($0)") }
/// let names = Observable.just("ash").retry(.delayed(maxCount: 3, time: 1), scheduler: unused)
/// ```
public final class UnimplementedScheduler: SchedulerType, Sendable {
  private let name: String
  private let report: @Sendable (_ message: String) -> Void

  /// Creates a scheduler.
  ///
  /// - Parameters:
  ///   - name: the name in the message.
  ///   - file: the file of the call, for the message.
  ///   - line: the line of the call, for the message.
  ///   - report: records a failure with the message. Called at each use, on the calling thread.
  public init(
    _ name: String = "A scheduler", file: String = #fileID, line: Int = #line,
    report: @escaping @Sendable (_ message: String) -> Void
  ) {
    self.name = "\(name) created at \(file):\(line)"
    self.report = report
  }

  /// Reports a failure.
  public var now: RxTime {
    fail("its time was read")
    return Date(timeIntervalSince1970: 0)
  }

  /// Reports a failure.
  ///
  /// - Parameters:
  ///   - state: ignored.
  ///   - action: does not run.
  /// - Returns: a disposable that does nothing.
  @preconcurrency public func schedule<StateType>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    fail("an action was scheduled")
    return Disposables.create()
  }

  /// Reports a failure.
  ///
  /// - Parameters:
  ///   - state: ignored.
  ///   - dueTime: part of the message.
  ///   - action: does not run.
  /// - Returns: a disposable that does nothing.
  @preconcurrency public func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    fail("an action was scheduled after \(dueTime)")
    return Disposables.create()
  }

  /// Reports a failure.
  ///
  /// - Parameters:
  ///   - state: ignored.
  ///   - startAfter: part of the message.
  ///   - period: part of the message.
  ///   - action: does not run.
  /// - Returns: a disposable that does nothing.
  @preconcurrency public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping @Sendable (StateType) -> StateType
  ) -> any Disposable {
    fail("an action was scheduled after \(startAfter), then every \(period)")
    return Disposables.create()
  }

  private func fail(_ use: String) {
    report("\(name) must not be used: \(use).")
  }
}

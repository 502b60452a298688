#if TRACE_RESOURCES
  import Synchronization
#endif

/// Counts live Rx objects, to find leaks.
///
/// If the package is built with `-Xswiftc -DTRACE_RESOURCES`, it counts sequences and subjects,
/// subscriptions, disposables and scheduled actions. After all subscriptions of a test have ended, the total
/// is the same as before:
///
/// ```swift
/// #if TRACE_RESOURCES
///   let start = Resources.total
///   Screen().appear()
///   #expect(Resources.total == start)
/// #endif
/// ```
///
/// Without the flag nothing is counted, the total is 0, and this type costs nothing. The total covers the
/// whole process: run no other test at the same time as a test that reads it.
public enum Resources {
  #if TRACE_RESOURCES
    private static let counter = Atomic<Int32>(0)
    fileprivate static let serialQueueObservables = Atomic<Int32>(0)

    /// The current number of objects.
    ///
    /// It may change at any time while other threads work.
    public static var total: Int32 { counter.load(ordering: .relaxed) }

    /// The current number of sequences that `observe(on:)` has made for a `SerialDispatchQueueScheduler`.
    public static var numberOfSerialDispatchQueueObservables: Int32 {
      serialQueueObservables.load(ordering: .relaxed)
    }

    /// Adds one, for an object of your own types.
    ///
    /// - Returns: the new total.
    @discardableResult public static func incrementTotal() -> Int32 {
      counter.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Subtracts one, for an object of your own types.
    ///
    /// - Returns: the new total.
    @discardableResult public static func decrementTotal() -> Int32 {
      counter.wrappingSubtract(1, ordering: .relaxed).newValue
    }
  #else
    /// Always 0: this build does not count.
    @inlinable public static var total: Int32 { 0 }

    /// Always 0: this build does not count.
    @inlinable public static var numberOfSerialDispatchQueueObservables: Int32 { 0 }

    /// Does nothing: this build does not count.
    ///
    /// - Returns: 0.
    @inlinable @discardableResult public static func incrementTotal() -> Int32 { 0 }

    /// Does nothing: this build does not count.
    ///
    /// - Returns: 0.
    @inlinable @discardableResult public static func decrementTotal() -> Int32 { 0 }
  #endif
}

#if TRACE_RESOURCES
  /// Counts its owner while the owner lives.
  @usableFromInline struct ResourceTrace: ~Copyable, Sendable {
    @usableFromInline init() {
      Resources.incrementTotal()
    }

    deinit {
      Resources.decrementTotal()
    }
  }

  /// Counts a sequence for `numberOfSerialDispatchQueueObservables` while it lives.
  @usableFromInline final class SerialQueueTrace: Sendable {
    private let isCounted: Bool

    @usableFromInline init(of scheduler: any ImmediateSchedulerType) {
      isCounted = scheduler is SerialDispatchQueueScheduler
      if isCounted { Resources.serialQueueObservables.wrappingAdd(1, ordering: .relaxed) }
    }

    deinit {
      if isCounted { Resources.serialQueueObservables.wrappingSubtract(1, ordering: .relaxed) }
    }
  }
#endif

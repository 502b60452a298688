#if TRACE_RESOURCES
  import Synchronization
#endif

/// How much of Rx is alive, to find what is never let go of.
///
/// Counts sequences and subjects, subscriptions, disposables and scheduled actions, where the package is built with
/// `-Xswiftc -DTRACE_RESOURCES`. After everything a test has subscribed to has ended, the total is what it was before:
///
/// ```swift
/// #if TRACE_RESOURCES
///   let start = Resources.total
///   Screen().appear()
///   #expect(Resources.total == start)
/// #endif
/// ```
///
/// Without the flag nothing is counted, the total is 0, and the code is as if this type did not exist. The total is that of the
/// process: let no other test run beside one that asks for it.
public enum Resources {
  #if TRACE_RESOURCES
    private static let counter = Atomic<Int32>(0)
    fileprivate static let serialQueueObservables = Atomic<Int32>(0)

    /// How many there are now; changes under the hands of whoever asks while other threads work.
    public static var total: Int32 { counter.load(ordering: .relaxed) }

    /// How many sequences there are now that `observe(on:)` has made for a `SerialDispatchQueueScheduler`.
    public static var numberOfSerialDispatchQueueObservables: Int32 {
      serialQueueObservables.load(ordering: .relaxed)
    }

    /// Counts one more, for types of your own.
    ///
    /// - Returns: the new total.
    @discardableResult public static func incrementTotal() -> Int32 {
      counter.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Counts one less, for types of your own.
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
  /// Counts whoever holds it, as long as that lives.
  @usableFromInline struct ResourceTrace: ~Copyable, Sendable {
    @usableFromInline init() {
      Resources.incrementTotal()
    }

    deinit {
      Resources.decrementTotal()
    }
  }

  /// Counts a sequence for `numberOfSerialDispatchQueueObservables` as long as it lives.
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

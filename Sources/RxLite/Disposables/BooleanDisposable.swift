import Synchronization

/// A flag that `dispose()` sets.
public final class BooleanDisposable: Cancelable {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  private let flag: Atomic<Bool>

  /// Creates a flag that is not set.
  public convenience init() {
    self.init(isDisposed: false)
  }

  /// Creates a flag.
  public init(isDisposed: Bool) {
    flag = Atomic(isDisposed)
  }

  /// Whether the flag is set.
  public var isDisposed: Bool { flag.load(ordering: .acquiring) }

  /// Sets the flag.
  public func dispose() {
    flag.store(true, ordering: .releasing)
  }
}

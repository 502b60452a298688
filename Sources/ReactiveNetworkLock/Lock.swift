#if TSAN_LOCKS
  public import Glibc
#else
  public import Synchronization
#endif

/// The lock type of the project: a value that only one thread at a time can access.
///
/// Decide under the lock and act after it: `withLock` returns a decision, and the caller acts on it outside.
/// Taking the same lock again inside the closure traps, so user code that re-enters the lock shows at once.
///
/// A closure belongs in a property of a struct. If it is the value itself, alone, optional or in a tuple, the
/// compiler wraps it in another closure at each access, and a call takes more of the stack each time.
///
/// ```swift
/// let waiting = Lock([Int]())
/// waiting.withLock { $0.append(1) }
/// let all = waiting.withLock { queue in
///   defer { queue.removeAll() }
///   return queue
/// }
/// ```
public struct Lock<Value>: ~Copyable, @unchecked Sendable {
  // Sendable although `Value` need not be: the value can be accessed only inside `withLock`. Callers also
  // take observers and actions out of it: plain closures whose calls the Rx contract serialises.
  #if TSAN_LOCKS
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    /// Creates a lock that protects a value.
    @inlinable public init(_ value: consuming Value) {
      self.mutex = .allocate(capacity: 1)
      self.value = .allocate(capacity: 1)
      self.value.initialize(to: value)
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
      value.deinitialize(count: 1)
      value.deallocate()
    }

    /// Runs `body` with exclusive access to the value.
    ///
    /// - Parameter body: reads and changes the value. It must not take the same lock again.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`.
    @inlinable public borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value.pointee)
    }
  #else
    @usableFromInline let mutex: Mutex<UncheckedSendable<Value>>

    /// Creates a lock that protects a value.
    @inlinable public init(_ value: consuming Value) {
      mutex = Mutex(UncheckedSendable(value: value))
    }

    /// Runs `body` with exclusive access to the value.
    ///
    /// - Parameter body: reads and changes the value. It must not take the same lock again.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`.
    @inlinable public borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try mutex.withLock { guarded throws(Failure) in try body(&guarded.value) }
    }
  #endif
}

#if !TSAN_LOCKS
  /// A wrapper that stores a value that is not `Sendable` in a `Mutex`, which provides only `inout sending`
  /// access.
  ///
  /// This is safe because the mutex admits one thread at a time, and the Rx contract serialises the calls of
  /// the observers and actions that callers store in it.
  @usableFromInline struct UncheckedSendable<Value>: @unchecked Sendable {
    @usableFromInline var value: Value

    @inlinable init(value: consuming Value) {
      self.value = value
    }
  }
#endif

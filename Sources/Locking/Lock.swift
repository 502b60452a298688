#if TSAN_LOCKS
  public import Glibc
#else
  public import Synchronization
#endif

/// A value that only one thread at a time can reach: the project's one lock type.
///
/// Decide under the lock and act after it: `withLock` returns what is to be done, the caller does it
/// outside. Taking the same lock again inside the closure traps, so code that calls out to a user under a
/// lock shows itself at once.
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
  // Sendable although `Value` need not be: the value leaves the lock only inside `withLock`. What callers
  // store are observers and actions, plain closures that the Rx contract serialises.
  #if TSAN_LOCKS
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    /// Puts a value behind a new lock.
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
    /// - Parameter body: reads and changes the value; it must not take the same lock again.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws.
    @inlinable public borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value.pointee)
    }
  #else
    @usableFromInline let mutex: Mutex<Guarded<Value>>

    /// Puts a value behind a new lock.
    @inlinable public init(_ value: consuming Value) {
      mutex = Mutex(Guarded(value: value))
    }

    /// Runs `body` with exclusive access to the value.
    ///
    /// - Parameter body: reads and changes the value; it must not take the same lock again.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws.
    @inlinable public borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try mutex.withLock { guarded throws(Failure) in try body(&guarded.value) }
    }
  #endif
}

#if !TSAN_LOCKS
  /// Lets a value that is not `Sendable` live in a `Mutex`, which hands out only `inout sending`.
  ///
  /// Sound because the mutex admits one thread at a time and what callers keep here is serialised by contract.
  @usableFromInline struct Guarded<Value>: @unchecked Sendable {
    @usableFromInline var value: Value

    @inlinable init(value: consuming Value) {
      self.value = value
    }
  }
#endif

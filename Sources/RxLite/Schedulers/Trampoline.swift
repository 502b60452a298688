public import ReactiveNetworkLock

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The work that is queued on the current thread while a subscription is being set up on it.
///
/// The outermost subscription on a thread runs inside the trampoline, and sources that emit many elements at
/// once are queued after it. So the whole chain is connected, and can be disposed, before their first
/// element, and recursion becomes a loop.
@usableFromInline final class Trampoline {
  // Used by one thread only.
  @exclusivity(unchecked) @usableFromInline var isActive = false
  @exclusivity(unchecked) @usableFromInline var queue = Queue<() -> Void>()
  var frame = RecursiveAction.Frame()
  var releases = NestedReleases()

  @usableFromInline static var current: Trampoline {
    if let existing = pthread_getspecific(key) {
      return Unmanaged<Trampoline>.fromOpaque(existing).takeUnretainedValue()
    }
    let new = Trampoline()
    pthread_setspecific(key, Unmanaged.passRetained(new).toOpaque())
    return new
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { pointer in
      if let pointer { Unmanaged<Trampoline>.fromOpaque(pointer).release() }
    }
    return key
  }()

  /// Runs `body` inside the trampoline; if it was not active, also runs the work that was queued meanwhile.
  @inlinable static func run(_ body: () -> Void) {
    let trampoline = current
    guard !trampoline.isActive else { return body() }
    trampoline.isActive = true
    body()
    if !trampoline.queue.isEmpty { trampoline.runQueue() }
    trampoline.isActive = false
  }

  /// Runs `body`, which may block the thread and run work of its queue meanwhile, as if outside of the subscription
  /// that is being set up.
  static func runOutside(_ body: () -> Void) {
    let trampoline = current
    let outer = (trampoline.isActive, trampoline.queue)
    (trampoline.isActive, trampoline.queue) = (false, Queue())
    body()
    (trampoline.isActive, trampoline.queue) = outer
  }

  /// Repeats `step` on the current thread until it returns `false`, and yields whenever other work is queued
  /// there.
  @usableFromInline static func enqueueSteps(_ step: @escaping () -> Bool) {
    let trampoline = current
    func work() {
      while step() {
        if !trampoline.queue.isEmpty {
          trampoline.queue.append(work)
          return
        }
      }
    }
    if trampoline.isActive { trampoline.queue.append(work) } else { run(work) }
  }

  @usableFromInline func runQueue() {
    while let work = queue.popFirst() { work() }
  }
}

/// The nested releases of a thread, and the objects that wait for release because the nesting is too deep.
struct NestedReleases {
  static let maximumDepth = 32
  var depth = 0
  var waiting: [Any] = []
}

extension Trampoline {
  /// Releases an object that may own a long chain of objects of its kind, without overflowing the stack.
  ///
  /// - Parameters:
  ///   - drop: releases the object.
  ///   - keep: called instead of `drop` if releases are nested too deeply; returns the object, which the
  ///     outermost call on the thread releases.
  @usableFromInline static func release(_ drop: () -> Void, orKeep keep: () -> Any) {
    let trampoline = current
    guard trampoline.releases.depth < NestedReleases.maximumDepth else {
      return trampoline.releases.waiting.append(keep())
    }
    trampoline.releases.depth += 1
    drop()
    while trampoline.releases.depth == 1, let next = trampoline.releases.waiting.popLast() { _ = next }
    trampoline.releases.depth -= 1
  }
}

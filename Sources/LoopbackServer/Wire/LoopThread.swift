#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A thread that runs one function.
///
/// `@unchecked Sendable`: it only holds the thread's identifier, which never changes and which any thread may
/// use.
struct LoopThread: @unchecked Sendable {
  private let id: ThreadID

  static func start(_ body: @escaping @Sendable () -> Void) throws(LoopbackServer.SystemError) -> LoopThread {
    let box = Box(body: body)
    let (thread, code) = create(box)
    guard code == 0 else { throw LoopbackServer.SystemError(call: "pthread_create", code: code) }
    return LoopThread(id: thread)
  }

  /// Waits for the thread to end; on the thread itself, detaches it instead.
  func join() {
    #if canImport(Darwin)
      guard let thread = id.raw else { return }
    #else
      let thread = id.raw
    #endif
    if id == .current { pthread_detach(thread) } else { pthread_join(thread, nil) }
  }

  // A separate function, because the compiler (6.3.1) crashes on these lines in a throwing one.
  private static func create(_ box: Box) -> (ThreadID, Int32) {
    let box = Unmanaged.passRetained(box)
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(&thread, nil, runBox, box.toOpaque())
    #else
      var thread = pthread_t()
      let code = pthread_create(&thread, nil, runBox, box.toOpaque())
    #endif
    if code != 0 { box.release() }
    return (ThreadID(raw: thread), code)
  }
}

private final class Box: Sendable {
  let body: @Sendable () -> Void

  init(body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}

#if canImport(Darwin)
  private func runBox(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().body()
    return nil
  }
#else
  private func runBox(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    pointer.map { Unmanaged<Box>.fromOpaque($0).takeRetainedValue().body() }
    return nil
  }
#endif

/// The identifier of a thread.
///
/// `@unchecked Sendable`: the value is only compared and passed to the system.
struct ThreadID: @unchecked Sendable, Equatable {
  #if canImport(Darwin)
    let raw: pthread_t?
  #else
    let raw: pthread_t
  #endif

  static var current: ThreadID { ThreadID(raw: pthread_self()) }
}

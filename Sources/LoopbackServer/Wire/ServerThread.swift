#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The thread of a server, which runs one function.
struct ServerThread: Sendable {
  private let id: ThreadID

  static func start(_ body: @escaping @Sendable () -> Void) throws(LoopbackServer.SystemError) -> ServerThread
  {
    let box = ThreadBody(body: body)
    let (thread, code) = create(box)
    guard code == 0 else { throw LoopbackServer.SystemError(call: "pthread_create", code: code) }
    return ServerThread(id: thread)
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
  private static func create(_ box: ThreadBody) -> (ThreadID, Int32) {
    let box = Unmanaged.passRetained(box)
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(&thread, nil, runThreadBody, box.toOpaque())
    #else
      var thread = pthread_t()
      let code = pthread_create(&thread, nil, runThreadBody, box.toOpaque())
    #endif
    if code != 0 { box.release() }
    return (ThreadID(raw: thread), code)
  }
}

private final class ThreadBody: Sendable {
  let body: @Sendable () -> Void

  init(body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}

#if canImport(Darwin)
  private func runThreadBody(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue().body()
    return nil
  }
#else
  private func runThreadBody(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    pointer.map { Unmanaged<ThreadBody>.fromOpaque($0).takeRetainedValue().body() }
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

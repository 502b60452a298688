internal import Foundation

/// Runs a closure on the calling thread, which a write to a closed connection does not end.
///
/// TLS libraries write with plain `write`, and NOSIGNAL keeps libcurl from ignoring SIGPIPE for the whole process.
func withoutSIGPIPE(_ body: () -> Void) {
  var pipe = sigset_t()
  sigemptyset(&pipe)
  sigaddset(&pipe, SIGPIPE)
  var outside = sigset_t()
  pthread_sigmask(SIG_BLOCK, &pipe, &outside)
  body()
  guard sigismember(&outside, SIGPIPE) == 0 else { return }
  // A pending signal would end the process as soon as it is no longer blocked.
  #if os(Linux)
    var none = timespec()
    while sigtimedwait(&pipe, nil, &none) == SIGPIPE {}
  #else
    var (pending, signal) = (sigset_t(), CInt(0))
    while sigpending(&pending) == 0, sigismember(&pending, SIGPIPE) == 1, sigwait(&pipe, &signal) == 0 {}
  #endif
  pthread_sigmask(SIG_SETMASK, &outside, nil)
}

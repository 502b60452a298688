import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// The terminal on standard input, switched so that each key arrives at once and is not echoed.
struct Terminal {
  private let saved: termios

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// How wide the terminal on standard output is; 80 where nobody says.
  static var columns: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return max(40, Int(size.ws_col))
  }

  /// Switches the terminal; `nil` where standard input is none.
  init?() {
    var current = termios()
    guard Self.isTerminal(STDIN_FILENO), tcgetattr(STDIN_FILENO, &current) == 0 else { return nil }
    saved = current
    // Ctrl-C and the like come as keys; signals from elsewhere end the program in the same way (`Signals`).
    current.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    current.c_iflag &= ~tcflag_t(IXON | ICRNL)
    guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &current) == 0 else { return nil }
  }

  /// Makes the terminal what it was.
  func restore() {
    var saved = saved
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
  }
}

import ReactiveNetworkExamples
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// The terminal on standard input, in a mode in which each key arrives at once and is not echoed.
struct RawTerminalMode {
  private let saved: termios

  /// Switches the terminal's mode; `nil` if standard input is not a terminal.
  init?() {
    var current = termios()
    guard Console.isTerminal(STDIN_FILENO), tcgetattr(STDIN_FILENO, &current) == 0 else { return nil }
    saved = current
    // Ctrl-C and similar arrive as keys; signals from elsewhere end the program in the same way
    // (`terminationSignals`).
    current.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    current.c_iflag &= ~tcflag_t(IXON | ICRNL)
    guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &current) == 0 else { return nil }
  }

  /// Restores the terminal's mode.
  func restore() {
    var saved = saved
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
  }
}

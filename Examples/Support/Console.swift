import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// The terminal on standard output.
package enum Console {
  /// Returns `true` if a descriptor refers to a terminal.
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// The size of the terminal; 80 by 24 if it is not known.
  package static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
    return (max(40, Int(size.ws_col)), max(5, Int(size.ws_row)))
  }
}

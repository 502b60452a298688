import Foundation
package import NetworkWaterfall

/// The file for a picture of the requests.
///
/// It is opened before the program begins, so that a bad path is reported before there is anything to lose.
package struct TimelineFile {
  /// Records the requests; a plugin for the program's provider.
  package let waterfall = WaterfallPlugin()
  private let program: String
  private let path: String
  private let file: FileHandle

  /// Opens the file.
  package init(path: String, program: String) throws(ProgramError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw ProgramError("cannot write \(path): \(String(cString: strerror(errno)))")
    }
    self.path = path
    self.program = program
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Writes the picture; returns `true` if that succeeded.
  package func write(title: String) -> Bool {
    // A file that is not regular, such as a pipe, cannot be truncated and need not be.
    try? file.truncate(atOffset: 0)
    do {
      try file.write(contentsOf: Data(waterfall.svg(title: title).utf8))
      return true
    } catch {
      printError("cannot write \(path): \(error.localizedDescription)", program)
      return false
    }
  }
}

import ExampleSupport
import Foundation

/// The file of the picture, opened before the session begins, so that a bad path is found before anything can
/// be lost.
struct Canvas {
  private let path: String
  private let file: FileHandle

  init(path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw Failure("cannot write \(path): \(String(cString: strerror(errno)))")
    }
    self.path = path
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Writes the picture; returns `true` if that succeeded.
  func draw(_ timeline: Timeline) -> Bool {
    // A file that is not regular, such as a pipe, cannot be truncated and need not be.
    try? file.truncate(atOffset: 0)
    do {
      try file.write(contentsOf: Data(Picture(of: timeline).svg.utf8))
      return true
    } catch {
      complain("cannot write \(path): \(error.localizedDescription)", "typeahead")
      return false
    }
  }
}

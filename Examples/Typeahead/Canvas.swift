import ExampleSupport
import Foundation

/// The file that a picture is written to, opened before there is anything to draw: no session is lost to a bad path.
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

  /// Writes the picture; returns whether that went well.
  func draw(_ timeline: Timeline) -> Bool {
    // What is no regular file, such as a pipe, cannot be emptied and need not be.
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

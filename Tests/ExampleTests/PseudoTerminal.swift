#if canImport(Glibc)
  import ReactiveNetworkChildProcess
  import Foundation
  import Glibc
  import Testing

  /// A pseudo terminal, and a program that reads only from it.
  struct PseudoTerminal {
    /// The user's side.
    ///
    /// Only the program holds the other side, so this side shows when the program ends.
    private let person: FileHandle
    let process: ChildProcess
    /// The terminal's local modes before the program began: echo, whole lines, signals.
    let before: tcflag_t

    init(_ program: String, _ arguments: [String], output: CInt? = nil) throws {
      // Opened by hand, because Glibc's module has neither `openpty` nor `posix_openpt`; the numbers are
      // Linux's TIOCSPTLCK and TIOCGPTN.
      let main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      person = FileHandle(fileDescriptor: main, closeOnDealloc: true)
      var (locked, number): (CInt, CInt) = (0, 0)
      try #require(main >= 0 && ioctl(main, 0x4004_5431, &locked) == 0)
      try #require(ioctl(main, 0x8004_5430, &number) == 0)
      let other = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
      try #require(other >= 0)
      defer { close(other) }
      before = Self.localModes(of: main)
      let end = ChildProcess.Stream.descriptor(other)
      process = try ChildProcess(
        ExampleProgram(program).url.path, arguments, input: end,
        output: output.map { .descriptor($0) } ?? end, errors: output == nil ? end : .none)
    }

    private static func localModes(of terminal: CInt) -> tcflag_t {
      var modes = termios()
      tcgetattr(terminal, &modes)
      return modes.c_lflag
    }

    /// The local modes: echo, whole lines, signals.
    var localModes: tcflag_t { Self.localModes(of: person.fileDescriptor) }

    func type(_ text: String) throws {
      try person.write(contentsOf: Data(text.utf8))
    }

    /// Reads the program's output until it contains a text or the program has ended.
    func read(until text: String) -> String {
      var seen: [UInt8] = []
      var bytes = [UInt8](repeating: 0, count: 4_096)
      while !String(decoding: seen, as: UTF8.self).contains(text) {
        // The system reports the closing of the other side as an error.
        let count = Glibc.read(person.fileDescriptor, &bytes, bytes.count)
        if count <= 0 { break }
        seen += bytes[..<count]
      }
      return String(decoding: seen, as: UTF8.self)
    }
  }
#endif

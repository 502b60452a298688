#if canImport(Glibc)
  import ReactiveNetworkChildProcess
  import Foundation
  import Glibc
  import Testing

  @Suite("The typeahead program on a terminal", .serialized, .timeLimit(.minutes(5)))
  struct TerminalTests {
    /// A pseudo terminal, and a program that reads only from it.
    private struct PseudoTerminal {
      /// The user's side.
      ///
      /// Only the program holds the other side, so this side shows when the program ends.
      private let person: FileHandle
      let process: ChildProcess
      /// The terminal's local modes before the program began: echo, whole lines, signals.
      let before: tcflag_t

      init(output: CInt? = nil) throws {
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
          ExampleProgram("typeahead").url.path, ["--interactive"], input: end,
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

    @Test(
      "the terminal's modes are restored, whatever ends the program",
      arguments: ["\u{3}", "\u{4}", "\u{1B}", "SIGTERM", "SIGINT", "SIGHUP"])
    func restored(way: String) async throws {
      let terminal = try PseudoTerminal()
      #expect(terminal.before & tcflag_t(ECHO | ICANON) != 0)
      var (screen, modes) = ("", tcflag_t(0))
      let status = try await terminal.process.waitForExit {
        (screen, modes) = try await onBlockingThread {
          var screen = terminal.read(until: "Type to search.")
          let modes = terminal.localModes
          try terminal.type("swift rx")
          screen += terminal.read(until: #"7 results for "swift rx""#)
          switch way {
          case "SIGTERM": kill(terminal.process.id, SIGTERM)
          case "SIGINT": kill(terminal.process.id, SIGINT)
          case "SIGHUP": kill(terminal.process.id, SIGHUP)
          default: try terminal.type(way)
          }
          return (screen + terminal.read(until: "\u{1B}[?1049l"), modes)
        }
      }
      #expect(modes & tcflag_t(ECHO | ICANON | ISIG) == 0)
      #expect(terminal.localModes == terminal.before)
      #expect(screen.contains("\u{1B}[?1049h"))
      #expect(screen.contains("RxSwiftCommunity/RxDataSources"))
      let statuses: [String: Int32] = ["SIGTERM": 143, "SIGINT": 130, "SIGHUP": 129]
      #expect(status == statuses[way] ?? 0)
    }

    @Test("the terminal's modes are restored when the reader closes the output")
    func unread() async throws {
      let output = Pipe()
      let terminal = try PseudoTerminal(output: output.fileHandleForWriting.fileDescriptor)
      try output.fileHandleForWriting.close()
      let status = try await terminal.process.waitForExit {
        try await onBlockingThread {
          _ = output.fileHandleForReading.availableData
          try output.fileHandleForReading.close()
          try terminal.type("swift")
        }
      }
      #expect(status >= 0)
      #expect(terminal.localModes == terminal.before)
    }
  }
#endif

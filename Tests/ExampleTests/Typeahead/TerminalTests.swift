#if canImport(Glibc)
  import ChildProcess
  import Foundation
  import Glibc
  import Testing

  @Suite("The typeahead program at a terminal", .serialized, .timeLimit(.minutes(5)))
  struct TerminalTests {
    /// A pseudo terminal.
    private struct Pseudo {
      /// The side of the person.
      let person: FileHandle
      /// The side of the program.
      let program: FileHandle

      init() throws {
        // By hand, since Glibc's module has neither `openpty` nor `posix_openpt`; the numbers are TIOCSPTLCK and
        // TIOCGPTN of Linux.
        let main = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (locked, number): (CInt, CInt) = (0, 0)
        try #require(main >= 0 && ioctl(main, 0x4004_5431, &locked) == 0)
        try #require(ioctl(main, 0x8004_5430, &number) == 0)
        person = FileHandle(fileDescriptor: main, closeOnDealloc: true)
        let other = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(other >= 0)
        program = FileHandle(fileDescriptor: other, closeOnDealloc: true)
      }

      /// The local modes: echo, whole lines, signals.
      var localModes: tcflag_t {
        var modes = termios()
        tcgetattr(program.fileDescriptor, &modes)
        return modes.c_lflag
      }

      /// Reads what the program writes until a text has come.
      func read(until text: String) -> String {
        var seen = ""
        while !seen.contains(text) {
          let data = person.availableData
          if data.isEmpty { break }
          seen += String(decoding: data, as: UTF8.self)
        }
        return seen
      }
    }

    @Test(
      "is left as it was found, whatever ends the program",
      arguments: ["\u{3}", "\u{4}", "\u{1B}", "SIGTERM", "SIGINT", "SIGHUP"])
    func restored(way: String) async throws {
      let terminal = try Pseudo()
      let before = terminal.localModes
      #expect(before & tcflag_t(ECHO | ICANON) != 0)
      let end = ChildProcess.Stream.descriptor(terminal.program.fileDescriptor)
      let process = try ChildProcess(
        Program("typeahead").url.path, ["--interactive"], input: end, output: end, errors: end)
      var modes: tcflag_t?
      var screen = ""
      let status = try await process.end {
        screen += terminal.read(until: "Type to search.")
        modes = terminal.localModes
        try terminal.person.write(contentsOf: Data("swift rx".utf8))
        screen += terminal.read(until: #"7 results for "swift rx""#)
        switch way {
        case "SIGTERM": kill(process.id, SIGTERM)
        case "SIGINT": kill(process.id, SIGINT)
        case "SIGHUP": kill(process.id, SIGHUP)
        default: try terminal.person.write(contentsOf: Data(way.utf8))
        }
        screen += terminal.read(until: "\u{1B}[?1049l")
      }
      #expect(modes.map { $0 & tcflag_t(ECHO | ICANON | ISIG) } == 0)
      #expect(terminal.localModes == before)
      #expect(screen.contains("\u{1B}[?1049h"))
      #expect(screen.contains("RxSwiftCommunity/RxDataSources"))
      let statuses: [String: Int32] = ["SIGTERM": 143, "SIGINT": 130, "SIGHUP": 129]
      #expect(status == statuses[way] ?? 0)
    }

    @Test("is left as it was found when nobody reads the output any more")
    func unread() async throws {
      let terminal = try Pseudo()
      let before = terminal.localModes
      let output = Pipe()
      let process = try ChildProcess(
        Program("typeahead").url.path, ["--interactive"],
        input: .descriptor(terminal.program.fileDescriptor),
        output: .descriptor(output.fileHandleForWriting.fileDescriptor))
      try output.fileHandleForWriting.close()
      let status = try await process.end {
        _ = output.fileHandleForReading.availableData
        try output.fileHandleForReading.close()
        try terminal.person.write(contentsOf: Data("swift".utf8))
      }
      #expect(status >= 0)
      #expect(terminal.localModes == before)
    }
  }
#endif

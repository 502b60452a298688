#if canImport(Glibc)
  import ReactiveNetworkChildProcess
  import Foundation
  import Glibc
  import Testing

  @Suite("The typeahead program on a terminal", .serialized, .timeLimit(.minutes(5)))
  struct TerminalTests {
    @Test(
      "the terminal's modes are restored, whatever ends the program",
      arguments: ["\u{3}", "\u{4}", "\u{1B}", "SIGTERM", "SIGINT", "SIGHUP"])
    func restored(way: String) async throws {
      let terminal = try PseudoTerminal("typeahead", ["--interactive"])
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
      let terminal = try PseudoTerminal(
        "typeahead", ["--interactive"], output: output.fileHandleForWriting.fileDescriptor)
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

#if os(Linux)
  import Foundation
  import MainLoops
  import ReactiveNetworkChildProcess
  import Testing

  /// Runs the scenarios of the program in `Tests/MainLoopProgram`, whose main thread is free for the loop.
  @Suite("The main queue inside another main loop", .timeLimit(.minutes(5)))
  struct MainLoopsTests {
    private static let hasGLib = dlopen("libglib-2.0.so.0", RTLD_NOW) != nil
    /// GLib is skipped where it is missing.
    static let loops = hasGLib ? ["glib", "poll"] : ["poll"]

    /// Runs a scenario, and returns the lines of its output and its errors.
    private func run(
      _ loop: String, _ scenario: String
    ) async throws -> (output: [String], errors: [String]) {
      let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("ReactiveNetworkMainLoopProgram")
      let (output, errors) = (Pipe(), Pipe())
      let process = try ChildProcess(
        program.path, [loop, scenario], environment: ["SWIFT_BACKTRACE": "enable=no"], input: .none,
        output: .descriptor(output.fileHandleForWriting.fileDescriptor),
        errors: .descriptor(errors.fileHandleForWriting.fileDescriptor))
      try output.fileHandleForWriting.close()
      try errors.fileHandleForWriting.close()
      // The program writes less than a pipe holds, so it ends before anything is read.
      let status = await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: process.wait()) }
      }
      #expect(status == 0, "the scenario ended with \(status)")
      func lines(_ pipe: Pipe) throws -> [String] {
        String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
          .split(separator: "\n").map(String.init)
      }
      return (try lines(output), try lines(errors))
    }

    @Test("work of each kind runs once, on the main thread", arguments: loops)
    func kinds(loop: String) async throws {
      let result = try await run(loop, "kinds")
      #expect(result.output == ["MainActor.run async asyncAfter before onMain scheduler task"])
    }

    @Test("an idle queue costs no processor time and no turns of the loop", arguments: loops)
    func idle(loop: String) async throws {
      let line = try #require(try await run(loop, "idle").output.first)
      let facts = try #require(line.wholeMatch(of: /turns (\d+) milliseconds (\d+)/))
      // One turn for the block at the end; GLib may take another one to find a source ready.
      #expect(Int(facts.1).map { $0 <= 5 } == true, "\(line)")
      #expect(Int(facts.2).map { $0 <= 100 } == true, "\(line)")
    }

    @Test("100,000 blocks from two threads all run", arguments: loops)
    func hops(loop: String) async throws {
      let result = try await run(loop, "hops")
      #expect(result.output == ["ran 100000"])
    }

    @Test("a queue that always has work does not starve timers and redrawing", arguments: loops)
    func flood(loop: String) async throws {
      let result = try await run(loop, "flood")
      #expect(result.output == ["served"])
    }

    @Test("a loop inside a block leaves the queue to the outer loop", arguments: loops)
    func nested(loop: String) async throws {
      let result = try await run(loop, "nested")
      #expect(result.output == ["outer begins, outer ends, inner"])
    }

    @Test(
      "sources with a lower number than the priority of the queue come first",
      .enabled(if: hasGLib, "GLib is missing"))
    func priority() async throws {
      let result = try await run("glib", "behind")
      #expect(result.output == ["ran after 100 calls"])
    }

    @Test(
      "a loop on another thread does not run the queue, and a line says so",
      .enabled(if: hasGLib, "GLib is missing"))
    func elsewhere() async throws {
      let result = try await run("glib", "elsewhere")
      #expect(result.output.isEmpty)
      let reason = MainLoopError.notOnMainThread(function: "MainQueue.drain").localizedDescription
      #expect(result.errors == ["GLibMainLoop: the main queue does not run: \(reason)"])
    }

    @Test("a missing GLib and a missing function are errors that name them")
    func missingGLib() async throws {
      let lines = try await run("poll", "others").output
      try #require(lines.count == 2)
      #expect(lines[0].hasPrefix("GLib cannot be used: libglib-missing.so: "))
      let missing = "libm.so.6 has no g_unix_fd_add_full; GLib 2.36 or newer is needed"
      #expect(lines[1] == "GLib cannot be used: \(missing)")
    }

    @Test("the error of a call on another thread names the function")
    func textOfOtherThread() {
      let text = "f was called on another thread than the main thread, which alone may run the main queue"
      #expect(MainLoopError.notOnMainThread(function: "f").localizedDescription == text)
    }

    @Test("calls on another thread are refused")
    func otherThread() {
      #expect(throws: MainLoopError.notOnMainThread(function: "MainQueue.drain")) { try MainQueue.drain() }
      #expect(throws: MainLoopError.notOnMainThread(function: "GLibMainLoop.attachMainQueue")) {
        try GLibMainLoop.attachMainQueue()
      }
    }
  }
#endif

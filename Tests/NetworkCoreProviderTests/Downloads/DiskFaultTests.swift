@testable import NetworkCoreTestSupport

#if os(Linux)
  import Foundation
  import NetworkCore
  import Testing

  @Suite("Disks that fail during a download", .timeLimit(.minutes(5)))
  struct DiskFaultTests {
    enum Mode: String, CaseIterable, Codable {
      case destination, otherVolume, resumable

      static let possible = allCases.filter { $0 != .otherVolume || InstalledProgram.hasOtherVolume }
    }

    /// Downloads a file in a process in which writing fails after a part of the file; expects a typed error, and
    /// no file at the destination.
    static func expectNoFile(_ fault: SystemFault, _ mode: Mode) async throws {
      let folder = try TemporaryFolder()
      setenv("TMPDIR", folder.url.path, 1)
      let other = URL(fileURLWithPath: "/dev/shm/\(UUID().uuidString)", isDirectory: true)
      defer { _ = try? FileManager.default.removeItem(at: other) }
      let place = mode == .otherVolume ? other : folder.file("place")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      let file = place.appendingPathComponent("file")
      let target = LoopbackTarget(URL(staticString: "http://h")).with {
        $0.task = .downloadDestination { _, _ in
          if mode == .otherVolume { fault.begin() }
          return (file, [])
        }
        if mode == .resumable { $0.task = .downloadResumable(to: file) }
      }
      let piece = Data(repeating: 7, count: SystemFault.space)
      let transport = ScriptedTransport { transfer in
        transfer.send(
          .head(ResponseHead(statusCode: 200, url: "http://h", headers: ["ETag": "\"v1\""])), .body(piece))
      }
      let ending = CompletionStream()
      let (events, event) = AsyncStream.makeStream(of: Void.self)
      let token = NetworkProvider<LoopbackTarget>(transport: transport).request(
        target, progress: { _ in event.yield() }, completion: ending.completion)
      for await _ in events { break }
      if mode != .otherVolume { fault.begin() }
      transport.transfers[0].send(.body(piece), .finished(nil))
      let error = await ending.next().downloadError
      SystemFault.endIfPossible()
      withExtendedLifetime(token) {}
      guard case .cannotWrite? = error else {
        Issue.record("\(fault), \(mode): \(String(describing: error))")
        return
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
      // What the system could not write is reported once, so nothing of it may be taken for complete later.
      let isKept = mode == .resumable && fault == .fullDisk
      #expect(names.sorted() == (isKept ? ["file.part", "file.part.json"] : []))
    }

    @Test("a disk without space is a typed error, and leaves no file with its name", arguments: Mode.possible)
    func full(mode: Mode) async {
      await #expect(processExitsWith: .success) { [mode] in
        try await DiskFaultTests.expectNoFile(.fullDisk, mode)
      }
    }

    @Test(
      "a disk that reports its errors late is a typed error, and leaves no file with its name",
      .enabled(if: SystemFault.canFailCalls, "the kernel has no seccomp"), arguments: Mode.possible,
      [SystemFault.fsync, .close])
    func late(mode: Mode, fault: SystemFault) async {
      await #expect(processExitsWith: .success) { [mode, fault] in
        try await DiskFaultTests.expectNoFile(fault, mode)
      }
    }
  }
#endif

import ReactiveNetworkExamples
import Foundation
import Testing

@Suite("Output")
struct OutputTests {
  @Test("a failed write states its reason", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func full() throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let failure = #expect(throws: ProgramError.self) { try output("line\n", to: full) }
    let words = try #require(failure?.errorDescription)
    #expect(words.contains("cannot be written"))
    #expect(words.contains("No space left"))
  }
}

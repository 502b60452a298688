import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Private files")
struct PrivateFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Returns the system's code of the error that a closure throws; `nil` if it throws none.
  private func code(_ body: () throws -> Void) -> CInt? {
    do {
      try body()
      return nil
    } catch {
      return (error as? SystemCallError)?.code ?? -1
    }
  }

  @Test("a file of exactly the limit is read, and a larger one is an error")
  func limit() throws {
    let path = try folder.file(containing: Data("12345".utf8)).path
    #expect(try PrivateFile.read(path, limit: 5) == Data("12345".utf8))
    let refusal = code { _ = try PrivateFile.read(path, limit: 4) }
    #expect(refusal == EFBIG)
  }

  @Test("a published file does not replace another one, and leaves no part behind")
  func publish() throws {
    let (path, part) = (folder.file("a").path, folder.file("part").path)
    try PrivateFile.publish(at: path, containing: Data("1".utf8), through: part)
    #expect(folder.names == ["a"])
    let refusal = code { try PrivateFile.publish(at: path, containing: Data("2".utf8), through: part) }
    #expect(refusal == EEXIST)
    #expect(folder.names == ["a"])
    #expect(try PrivateFile.read(path, limit: 9) == Data("1".utf8))
  }

  @Test("a file that cannot be replaced is kept, and leaves no part behind")
  func replace() throws {
    let (path, part) = (folder.file("a").path, folder.file("part").path)
    try PrivateFile.replace(at: path, with: Data("1".utf8), through: part)
    try PrivateFile.replace(at: path, with: Data("2".utf8), through: part)
    #expect(try PrivateFile.read(path, limit: 9) == Data("2".utf8))
    let directory = folder.file("b")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    let refusal = code { try PrivateFile.replace(at: directory.path, with: Data(), through: part) }
    #expect(refusal == EISDIR)
    #expect(folder.names == ["a", "b"])
  }
}

import Foundation

/// A folder that is removed with the test.
final class TemporaryFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("examples-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  var path: String { url.path }

  /// The names of its files, sorted.
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  func content(_ name: String) -> Data? { try? Data(contentsOf: url.appendingPathComponent(name)) }

  @discardableResult
  func add(_ name: String, _ content: Data) throws -> String {
    let file = url.appendingPathComponent(name)
    try content.write(to: file)
    return file.path
  }
}

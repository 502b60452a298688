import Foundation
import Processes

/// Returns the command that runs the client in Python; `nil` if Python or its package `websockets` is missing.
///
/// `--python PATH` names another interpreter than the first in `PATH`, such as that of a virtual environment.
func findPython() -> [String]? {
  let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
  let candidates = [numericOption("--python", default: "")] + folders.map { "\($0)/python3" }
  guard let path = candidates.first(where: FileManager.default.isExecutableFile) else {
    print("skipped: python3 not found")
    return nil
  }
  let process = Process()
  process.executableURL = URL(filePath: path)
  process.arguments = ["-c", "from websockets.asyncio.client import connect"]
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return nil }
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    print("skipped: the Python package websockets not found by \(path)")
    return nil
  }
  let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "PythonClient.py")
  return [path, script.path()]
}

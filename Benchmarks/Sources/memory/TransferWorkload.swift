import Foundation
import NetworkCore

/// A transfer of a given number of bytes.
struct TransferWorkload {
  let name: String
  /// Receives the server's URL, the number of bytes, and the path of a file to use.
  let run: (URL, Int, URL) throws -> Void

  static let all = [
    TransferWorkload(name: "download to a file") { server, count, file in
      let task = HTTPTask.downloadDestination { _, _ in (file, .removePreviousFile) }
      let response = try successfulResponse(to: ServerTarget(baseURL: server, path: "\(count)", task: task))
      guard response.fileURL == file, size(of: file) == count else {
        throw BenchmarkError(reason: "incomplete file")
      }
      try FileManager.default.removeItem(at: file)
    },
    TransferWorkload(name: "resumable download to a file") { server, count, file in
      let target = ServerTarget(baseURL: server, path: "\(count)", task: .downloadResumable(to: file))
      guard try successfulResponse(to: target).fileURL == file, size(of: file) == count else {
        throw BenchmarkError(reason: "incomplete file")
      }
      try FileManager.default.removeItem(at: file)
    },
    TransferWorkload(name: "upload of a file") { server, count, file in
      try make(file, count)
      try send(ServerTarget(baseURL: server, method: .put, task: .uploadFile(file)), atLeast: count)
    },
    TransferWorkload(name: "multipart form with a file") { server, count, file in
      try make(file, count)
      let form = MultipartFormData(parts: [
        MultipartFormBodyPart(provider: .data(Data("value".utf8)), name: "field"),
        MultipartFormBodyPart(provider: .file(file), name: "file"),
      ])
      try send(
        ServerTarget(baseURL: server, method: .post, task: .uploadMultipartFormData(form)), atLeast: count)
    },
    TransferWorkload(name: "stream of chunks, slow consumer") { server, count, _ in
      let end = DispatchSemaphore(value: 0)
      nonisolated(unsafe) var received = 0
      provider.stream(ServerTarget(baseURL: server, path: "\(count)")) { event in
        switch event {
        case .response: break
        case .chunk(let chunk):
          received += chunk.count
          usleep(200)
        case .finished: end.signal()
        }
      }
      end.wait()
      guard received == count else { throw BenchmarkError(reason: "\(received) of \(count) bytes") }
    },
  ]

  private static let provider = NetworkProvider<ServerTarget>()

  private static func successfulResponse(to target: ServerTarget) throws -> Response {
    try provider.requestAndWait(target).get().filterSuccessfulStatusCodes()
  }

  private static func send(_ target: ServerTarget, atLeast count: Int) throws {
    let received = try Int(successfulResponse(to: target).mapString()) ?? 0
    guard received >= count else {
      throw BenchmarkError(reason: "the server received \(received) of \(count) bytes")
    }
  }

  /// Creates a sparse file, which takes no space on disk.
  private static func make(_ file: URL, _ count: Int) throws {
    guard FileManager.default.createFile(atPath: file.path, contents: nil), truncate(file.path, count) == 0
    else { throw BenchmarkError(reason: "\(file.path) cannot be created") }
  }

  private static func size(of file: URL) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: file.path))?[.size] as? Int
  }
}

/// A request to the server.
struct ServerTarget: TargetType {
  let baseURL: URL
  var path = ""
  var method = HTTPMethod.get
  var task = HTTPTask.requestPlain
}

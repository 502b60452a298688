import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Random forms")
struct MultipartFuzzTests {
  /// Reads a body with buffers of random sizes; `nil` on failure.
  private func contents(of stream: BodyStream, _ random: inout SplitMix64) throws -> Data {
    let available = DispatchSemaphore(value: 0)
    let opened = try stream.open(try stream.prepare()) { available.signal() }
    guard let reader = opened else {
      throw FuzzFailure("the body was read before")
    }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 64)
    while true {
      let size = 1 + random.below(64)
      let count = try buffer.withUnsafeMutableBytes {
        try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<size]))
      }
      guard let count else {
        // The streams of parts are read on other threads.
        available.wait()
        continue
      }
      guard count > 0 else { return data }
      data.append(contentsOf: buffer[..<count])
    }
  }

  private func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "\r", with: "%0D", options: .literal)
      .replacingOccurrences(of: "\n", with: "%0A", options: .literal)
      .replacingOccurrences(of: "\"", with: "%22", options: .literal)
  }

  @Test("the bytes are the framed parts, with the announced length, or the form fails with a MultipartError")
  func bodies() {
    Fuzz.run("forms") { random in
      let boundary = random.oneIn(3) ? random.text() : "B\(random.below(10))"
      let parts = (0..<random.below(5)).map { _ in
        let data = random.bytes(upTo: 100)
        let provider: MultipartFormData.FormDataProvider =
          random.oneIn(3)
          ? .stream(
            BodyStream(pieces: [data.prefix(3), data.dropFirst(3)].filter { !$0.isEmpty }, gaps: false))
          : .data(data)
        return (
          data,
          MultipartFormBodyPart(
            provider: provider, name: random.oneIn(3) ? random.text() : "n",
            fileName: random.oneIn(2) ? nil : random.text(),
            mimeType: random.oneIn(3) ? random.text(upTo: 2) : nil)
        )
      }
      let log = Lock([BodyStream]())
      let transport = ScriptedTransport { transfer in
        if case .stream(let stream) = transfer.request.body { log.withLock { $0.append(stream) } }
        transfer.respond()
      }
      let outcome = CompletionRecorder()
      let form = MultipartFormData(boundary: boundary, parts: parts.map(\.1))
      let target = LoopbackTarget(URL(staticString: "http://h")).with {
        $0.method = .post
        $0.task = .uploadMultipartFormData(form)
      }
      NetworkProvider<LoopbackTarget>(transport: transport).request(target, completion: outcome.completion)
      guard let stream = log.withLock({ $0.first }) else {
        guard case .parameterEncoding(is MultipartError)? = outcome.error else {
          throw FuzzFailure("\(outcome.all)")
        }
        return
      }
      var expected = Data()
      for (index, (data, part)) in parts.enumerated() {
        var head = (index == 0 ? "" : "\r\n") + "--\(boundary)\r\n"
        head += "Content-Disposition: form-data; name=\"\(escaped(part.name))\""
        if let fileName = part.fileName { head += "; filename=\"\(escaped(fileName))\"" }
        if let type = part.mimeType { head += "\r\nContent-Type: \(type)" }
        expected += Data((head + "\r\n\r\n").utf8) + data
      }
      expected += Data("\r\n--\(boundary)--\r\n".utf8)
      let written = try contents(of: stream, &random)
      try require(written == expected, "\(String(decoding: written, as: UTF8.self))")
      try require(
        stream.length == nil || stream.length == Int64(expected.count), "\(stream.length ?? -1) announced")
    }
  }
}

internal import Foundation

/// A stored response as the bytes of a file: a signature, the lengths of metadata and body, their checksum,
/// the metadata as JSON, and the body.
enum CacheFileFormat {
  private static let signature: [UInt8] = Array("RNC1".utf8)
  private static let headCount = 4 + 4 + 8 + 8
  /// The times that a file may contain, up to the year 9999; calculations with others could overflow.
  private static let times: ClosedRange<TimeInterval> = 0...253_402_300_799

  static func bytes(_ response: StoredResponse) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let metadata = try encoder.encode(response.metadata)
    var data = Data(capacity: headCount + metadata.count + response.body.count)
    data.append(contentsOf: signature)
    data.append(number: UInt64(metadata.count), bytes: 4)
    data.append(number: UInt64(response.body.count), bytes: 8)
    data.append(number: digest(metadata, response.body), bytes: 8)
    data.append(metadata)
    data.append(response.body)
    return data
  }

  /// Returns `nil` if the data is not such a file, or is not complete.
  static func response(_ data: Data) -> StoredResponse? {
    guard data.count >= headCount, data.prefix(4).elementsEqual(signature) else { return nil }
    let metadataCount = data.number(at: 4, bytes: 4)
    let bodyCount = data.number(at: 8, bytes: 8)
    let rest = UInt64(data.count - headCount)
    guard metadataCount <= rest, bodyCount == rest - metadataCount else { return nil }
    let metadata = data.dropFirst(headCount).prefix(Int(metadataCount))
    let body = data.suffix(Int(bodyCount))
    guard data.number(at: 16, bytes: 8) == digest(metadata, body),
      let read = try? JSONDecoder().decode(StoredResponse.Metadata.self, from: Data(metadata)),
      times.contains(read.requestTime), times.contains(read.responseTime)
    else { return nil }
    return StoredResponse(metadata: read, body: Data(body))
  }

  /// The checksum that a file stores; it detects accidental damage, not deliberate changes.
  static func digest(_ metadata: Data, _ body: Data) -> UInt64 {
    body.withUnsafeBytes { body in
      FNV1a.hash(body, after: metadata.withUnsafeBytes { FNV1a.hash($0) })
    }
  }
}

extension Data {
  fileprivate mutating func append(number: UInt64, bytes: Int) {
    for index in 0..<bytes { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
  }

  fileprivate func number(at offset: Int, bytes: Int) -> UInt64 {
    (0..<bytes).reduce(0) { $0 | UInt64(self[startIndex + offset + $1]) << (8 * $1) }
  }
}

internal import CCurl
internal import Foundation

/// An option of an easy handle with its value.
struct CurlSetting: Sendable {
  enum Value: Sendable {
    case long(Int)
    case string(String?)
    case blob(CurlBlob)
  }

  let name: String
  let option: Int
  let value: Value

  init(_ name: String, _ option: Int, _ value: Value) {
    self.name = name
    self.option = option
    self.value = value
  }
}

/// Bytes that libcurl points into for as long as a handle has them.
///
/// Sendable because the memory is written before anybody else sees the object, and freed with it.
final class CurlBlob: @unchecked Sendable {
  private let bytes: UnsafeMutableRawBufferPointer

  init(_ data: Data) {
    bytes = .allocate(byteCount: max(1, data.count), alignment: 1)
    data.copyBytes(to: bytes)
    size = data.count
  }

  deinit { bytes.deallocate() }

  private let size: Int

  /// Not copied: a handle keeps the profile that has this object.
  var value: ccurl_blob { ccurl_blob(data: bytes.baseAddress, length: size, flags: 0) }
}

/// The options that all requests to one host have in common.
final class CurlProfile: Sendable {
  let settings: [CurlSetting]
  let httpVersion: CurlConfiguration.VersionPolicy

  init(_ settings: [CurlSetting], httpVersion: CurlConfiguration.VersionPolicy) {
    self.settings = settings
    self.httpVersion = httpVersion
  }
}

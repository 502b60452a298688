import Foundation

/// Decodes texts with the character sets of the C library, of which glibc has several hundred.
///
/// Source: POSIX, `iconv`.
struct CharsetConverter: ~Copyable {
  private let descriptor: iconv_t

  /// Creates a converter; returns `nil` if the C library does not know the character set.
  init?(_ charset: String) {
    // A slash would begin options, and no name at all means the locale's.
    guard !charset.isEmpty, charset.utf8.allSatisfy({ $0 != UInt8(ascii: "/") }) else { return nil }
    let descriptor = iconv_open("UTF-8", charset)
    // -1 is the error.
    guard let descriptor, descriptor != iconv_t(bitPattern: -1) else { return nil }
    self.descriptor = descriptor
  }

  deinit { iconv_close(descriptor) }

  /// Decodes a text; returns `nil` if it is not valid in the character set.
  func text(of body: Data) -> String? {
    var input = body.map { CChar(bitPattern: $0) }
    var output: [UInt8] = []
    var buffer = [CChar](repeating: 0, count: 16_384)
    let isValid = input.withUnsafeMutableBufferPointer { input in
      var (start, count) = (input.baseAddress, input.count)
      while count > 0 {
        guard convert(&start, &count, &buffer, &output) else { return false }
      }
      // Some character sets end with bytes that depend on what precedes them.
      return convert(nil, nil, &buffer, &output)
    }
    return isValid ? String(validating: output, as: UTF8.self) : nil
  }

  /// Converts as much as the buffer can hold; returns `false` if the input is not valid.
  private func convert(
    _ input: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ count: UnsafeMutablePointer<Int>?,
    _ buffer: inout [CChar], _ output: inout [UInt8]
  ) -> Bool {
    buffer.withUnsafeMutableBufferPointer { buffer in
      var (end, free) = (buffer.baseAddress, buffer.count)
      let isDone = iconv(descriptor, input, count, &end, &free) != -1
      let code = errno
      output += buffer.prefix(buffer.count - free).map { UInt8(bitPattern: $0) }
      return isDone || code == E2BIG
    }
  }
}

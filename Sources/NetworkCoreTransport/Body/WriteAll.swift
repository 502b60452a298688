import Foundation

/// Writes all bytes.
///
/// Returns `false` if the system refuses; `errno` then has the reason.
package func writeAll(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
    if count < 0 {
      if errno == EINTR { continue }
      return false
    }
    rest = rest.dropFirst(count)
  }
  return true
}

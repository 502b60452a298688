import CLoopbackServer

/// Calls `body` with fields in the form of the C target, which are valid only during the call.
///
/// Their names are in lower case, as HTTP/2 requires (RFC 9113, section 8.2).
func withFields(
  _ fields: [(name: String, value: String)], _ body: (UnsafePointer<cloopback_field>?, Int) -> Void
) {
  // The texts lie in one array, whose addresses stay the same during the call.
  let texts = fields.map { (Array($0.name.lowercased().utf8), Array($0.value.utf8)) }
  let bytes = texts.flatMap { $0.0 + $0.1 }
  bytes.withUnsafeBufferPointer { bytes in
    var offset = 0
    func next(_ count: Int) -> cloopback_text {
      defer { offset += count }
      return cloopback_text(bytes: bytes.baseAddress.map { $0 + offset }, count: count)
    }
    let list = texts.map { cloopback_field(name: next($0.0.count), value: next($0.1.count)) }
    list.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
  }
}

extension cloopback_text {
  var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: count) }

  var text: String { String(decoding: buffer, as: UTF8.self) }
}

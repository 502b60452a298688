import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Sets a field to a value that the caller chooses.
  ///
  /// Foundation's `setValue(_:forHTTPHeaderField:)` silently drops a value with CR, LF or NUL. This function
  /// keeps it, so that the transport refuses the request with `TransferError.invalidField`.
  package mutating func setField(_ name: String, to value: String) {
    guard value.withBytes({ $0.contains(where: \.breaksLine) }) else {
      return setValue(value, forHTTPHeaderField: name)
    }
    var fields = (allHTTPHeaderFields ?? [:]).filter { !$0.key.equalsIgnoringASCIICase(name) }
    fields[name] = value
    allHTTPHeaderFields = fields
  }
}

extension UInt8 {
  /// Whether the byte is CR, LF or NUL.
  package var breaksLine: Bool { self == 0x0D || self == 0x0A || self == 0 }
}

internal import Foundation

/// A cookie in Netscape's format, as libcurl lists it: tab-separated domain, whether subdomains get it, path,
/// whether it is for secure connections only, expiry time, name and value.
struct CookieLine {
  private static let tab = UInt8(ascii: "\t")

  private let fields: [Slice<UnsafeRawBufferPointer>]

  /// Returns `nil` if the text has another format.
  ///
  /// - Parameter text: the line; it must outlive this value.
  init?(_ text: UnsafePointer<CChar>) {
    fields = UnsafeRawBufferPointer(start: text, count: strlen(text))
      .split(separator: Self.tab, maxSplits: 5, omittingEmptySubsequences: false)
    guard fields.count == 6 else { return nil }
  }

  /// The domain, in the notation of the line.
  var domain: String { String(decoding: fields[0], as: UTF8.self) }

  /// The same cookie, but long expired: libcurl removes its cookie when it receives this one.
  var expired: [CChar] {
    let parts = fields[..<4].map { Array($0) } + [[UInt8(ascii: "1")], Array(fields[5])]
    return parts.joined(separator: [Self.tab]).map { CChar(bitPattern: $0) } + [0]
  }
}

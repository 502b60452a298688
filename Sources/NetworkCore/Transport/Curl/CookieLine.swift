internal import Foundation

/// A cookie in Netscape's format, as libcurl lists it: its domain, whether subdomains get it, its path, whether it is for secure
/// connections alone, when it expires, its name and its value, with tabs between them.
struct CookieLine {
  private static let tab = UInt8(ascii: "\t")

  private let fields: [Slice<UnsafeRawBufferPointer>]

  /// - Parameter text: has to outlive the line; `nil` comes of what has another format.
  init?(_ text: UnsafePointer<CChar>) {
    fields = UnsafeRawBufferPointer(start: text, count: strlen(text))
      .split(separator: Self.tab, maxSplits: 5, omittingEmptySubsequences: false)
    guard fields.count == 6 else { return nil }
  }

  /// The domain, in the notation of the line.
  var domain: String { String(decoding: fields[0], as: UTF8.self) }

  /// The same cookie, which has expired long ago: who takes it in its place lets go of it.
  var expired: [CChar] {
    let parts = fields[..<4].map { Array($0) } + [[UInt8(ascii: "1")], Array(fields[5])]
    return parts.joined(separator: [Self.tab]).map { CChar(bitPattern: $0) } + [0]
  }
}

public import Foundation

extension URL {
  /// Makes the URL of a target: its `baseURL` with its `path`, unless it provides a complete URL.
  ///
  /// A `url` of the target itself must not call it, because it returns that `url`.
  ///
  /// - Parameter target: the target.
  public init(target: some TargetType) {
    self = target.url
  }

  /// Returns the same URL as `appendingPathComponent(_:)`, in a third of the time for a path that needs no
  /// escaping.
  func appending(targetPath path: String) -> URL {
    guard !path.isEmpty else { return self }
    let base = absoluteString
    let slashes = (base.utf8.last == .slash ? 1 : 0) + (path.utf8.first == .slash ? 1 : 0)
    guard path.utf8.allSatisfy(\.needsNoPathEscape), !base.utf8.contains(where: \.endsPath) else {
      return appendingPathComponent(path)
    }
    let joined =
      switch slashes {
      case 0: base + "/" + path
      case 1: base + path
      default: base + path.dropFirst()
      }
    return URL(string: joined) ?? appendingPathComponent(path)
  }
}

extension UInt8 {
  fileprivate static let slash = UInt8(ascii: "/")

  /// Whether the byte is not escaped in a path: RFC 3986's unreserved characters and the slash.
  fileprivate var needsNoPathEscape: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  fileprivate var endsPath: Bool { self == UInt8(ascii: "?") || self == UInt8(ascii: "#") }
}

public import Foundation

extension JSONDecoder {
  /// The default decoder, with Foundation's default settings.
  ///
  /// All responses share it, so that a call without a decoder need not create one. This is safe because
  /// decoding does not change a decoder, and code outside the package cannot access this one.
  @usableFromInline package static let standard = JSONDecoder()
}

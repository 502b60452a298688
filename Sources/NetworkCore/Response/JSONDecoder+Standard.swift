public import Foundation

extension JSONDecoder {
  /// Decodes as Foundation does unless told otherwise; who names no decoder gets this one, instead of a new one for each answer.
  ///
  /// Decoding changes nothing in a decoder, and nobody outside can reach this one to change it.
  @usableFromInline package static let standard = JSONDecoder()
}

import Foundation

/// A form with files: the parts of a `multipart/form-data` body (RFC 7578).
///
/// ```swift
/// .uploadMultipartFormData([
///   MultipartFormBodyPart(provider: .data(Data("Lorem".utf8)), name: "title"),
///   MultipartFormBodyPart(provider: .file(picture), name: "picture"),
/// ])
/// ```
///
/// Files and streams are read while the body is sent, so their size costs no memory. The body has a
/// `Content-Length` if the lengths of all parts are known; otherwise it is sent in chunks.
public struct MultipartFormData: Sendable, Hashable {
  /// The parts, in the order in which they are sent.
  public var parts: [MultipartFormBodyPart]
  /// The chosen boundary between the parts; `nil` if it is random.
  ///
  /// It has at most 70 characters, as RFC 2046, section 5.1.1, allows. No part may contain it.
  public let boundary: String?
  /// The chosen or a random boundary, stored so that the content type and the body agree.
  private let chosenBoundary: String

  /// Creates a form.
  ///
  /// - Parameters:
  ///   - boundary: the boundary between the parts; `nil` for a random one of 128 bits.
  ///   - parts: the parts.
  public init(boundary: String? = nil, parts: [MultipartFormBodyPart]) {
    self.boundary = boundary
    self.parts = parts
    chosenBoundary = boundary ?? Self.randomBoundary()
  }

  /// The `Content-Type` of the body.
  public var contentType: String {
    let boundary = chosenBoundary
    let isToken = boundary.utf8.allSatisfy {
      $0 != UInt8(ascii: " ") && !"()<>@,;:\\\"/[]?=".utf8.contains($0)
    }
    return "multipart/form-data; boundary=" + (isToken ? boundary : "\"\(boundary)\"")
  }

  /// The number of bytes in all parts, without heads and boundaries.
  ///
  /// `nil` if the length of a part is not known, or if the sum exceeds `UInt64`.
  public var contentLength: UInt64? {
    parts.reduce(0) { sum, part in
      guard let sum, let length = part.provider.length else { return nil }
      let (total, isTooLong) = sum.addingReportingOverflow(UInt64(clamping: length))
      return isTooLong ? nil : total
    }
  }

  /// Whether both have the same parts and the same chosen boundary; ignores random boundaries.
  public static func == (left: MultipartFormData, right: MultipartFormData) -> Bool {
    left.parts == right.parts && left.boundary == right.boundary
  }

  /// Hashes the parts and the chosen boundary.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(parts)
    hasher.combine(boundary)
  }

  private static func randomBoundary() -> String {
    let halves = (0..<2).map { _ in UInt64.random(in: .min ... .max).hexDigits }
    return "ReactiveNetwork-" + halves.joined()
  }
}

extension MultipartFormData: ExpressibleByArrayLiteral {
  /// Creates a form with a random boundary from an array literal.
  public init(arrayLiteral elements: MultipartFormBodyPart...) {
    self.init(parts: elements)
  }
}

extension MultipartFormData {
  /// The boundary between the parts.
  package var delimiter: String { chosenBoundary }
}

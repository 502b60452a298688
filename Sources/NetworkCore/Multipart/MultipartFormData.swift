public import Foundation

/// A form with files: the parts of a `multipart/form-data` body (RFC 7578).
///
/// ```swift
/// .uploadMultipartFormData([
///   MultipartFormBodyPart(provider: .data(Data("Lorem".utf8)), name: "title"),
///   MultipartFormBodyPart(provider: .file(picture), name: "picture"),
/// ])
/// ```
///
/// Files and streams are read while the body is sent, so their size costs no memory. The whole has a `Content-Length`
/// where the lengths of all parts are known, and is sent in chunks otherwise.
public struct MultipartFormData: Sendable, Hashable {
  /// The parts, in the order in which they are sent.
  public var parts: [MultipartFormBodyPart]
  /// What is written between the parts, where it was chosen.
  ///
  /// At most 70 of the characters of RFC 2046, section 5.1.1; no part may contain it.
  public let boundary: String?
  /// A random boundary where none was chosen, kept so that type and body agree.
  private let chosenBoundary: String

  /// Makes a form.
  ///
  /// - Parameters:
  ///   - boundary: what is written between the parts; `nil` for a random text of 128 bits.
  ///   - parts: the parts.
  public init(boundary: String? = nil, parts: [MultipartFormBodyPart]) {
    self.boundary = boundary
    self.parts = parts
    chosenBoundary = boundary ?? Self.randomBoundary()
  }

  /// Makes a form; `fileManager` stands here for code written for Moya and is not used.
  ///
  /// - Parameters:
  ///   - fileManager: not used: files are read by the system's own calls.
  ///   - boundary: what is written between the parts; `nil` for a random text.
  ///   - parts: the parts.
  public init(fileManager: FileManager, boundary: String? = nil, parts: [MultipartFormBodyPart]) {
    self.init(boundary: boundary, parts: parts)
  }

  /// Makes a form of one part, as older versions of Moya spell it.
  ///
  /// - Parameters:
  ///   - provider: where the part's bytes come from.
  ///   - name: the part's name.
  ///   - fileName: the file name that the server is told.
  ///   - mimeType: the part's media type.
  public init(
    provider: FormDataProvider, name: String, fileName: String? = nil, mimeType: String? = nil
  ) {
    self.init(parts: [
      MultipartFormBodyPart(provider: provider, name: name, fileName: fileName, mimeType: mimeType)
    ])
  }

  /// Foundation's own, for code written for Moya; files are read by the system's calls.
  public var fileManager: FileManager { .default }

  /// The `Content-Type` of the body.
  public var contentType: String {
    let boundary = chosenBoundary
    let isToken = boundary.utf8.allSatisfy {
      $0 != UInt8(ascii: " ") && !"()<>@,;:\\\"/[]?=".utf8.contains($0)
    }
    return "multipart/form-data; boundary=" + (isToken ? boundary : "\"\(boundary)\"")
  }

  /// The bytes of all the parts' contents, without what stands between them; `nil` where that of a part is not known, or the sum
  /// is no number.
  public var contentLength: UInt64? {
    parts.reduce(0) { sum, part in
      guard let sum, let length = part.provider.length else { return nil }
      let (total, isTooLong) = sum.addingReportingOverflow(UInt64(clamping: length))
      return isTooLong ? nil : total
    }
  }

  /// Whether both have the same parts and the same chosen boundary; random boundaries are not compared.
  public static func == (left: MultipartFormData, right: MultipartFormData) -> Bool {
    left.parts == right.parts && left.boundary == right.boundary
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(parts)
    hasher.combine(boundary)
  }

  private static func randomBoundary() -> String {
    let bits = UInt128.random(in: .min ... .max)
    let digits = String(bits, radix: 16)
    return "ReactiveNetwork-" + String(repeating: "0", count: 32 - digits.count) + digits
  }
}

extension MultipartFormData: ExpressibleByArrayLiteral {
  /// Makes a form with a random boundary of a literal.
  public init(arrayLiteral elements: MultipartFormBodyPart...) {
    self.init(parts: elements)
  }
}

extension MultipartFormData {
  /// What is written between the parts.
  var delimiter: String { chosenBoundary }
}

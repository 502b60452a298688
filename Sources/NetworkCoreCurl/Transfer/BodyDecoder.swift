internal import CNetworkCoreCurl

/// A content coding of a body (RFC 9110, section 8.4).
enum ContentCoding: CInt, CaseIterable {
  case deflate = 0
  case gzip = 1
  case brotli = 2
  case zstd = 3

  /// Reads the name of a coding; `name` has no surrounding whitespace.
  init?(name: Slice<UnsafeRawBufferPointer>) {
    for coding in Self.allCases
    where coding.names.contains(where: {
      name.count == $0.utf8CodeUnitCount && name.hasLowercasedPrefix($0)
    }) {
      self = coding
      return
    }
    return nil
  }

  private var names: [StaticString] {
    switch self {
    case .deflate: ["deflate"]
    case .gzip: ["gzip", "x-gzip"]
    case .brotli: ["br"]
    case .zstd: ["zstd"]
    }
  }

  var name: String { "\(names[0])" }

  /// Whether this system can decode it.
  var isUsable: Bool { ccurl_can_decode(rawValue) }

  /// The names of the codings that this system can decode.
  static var usable: [String] { allCases.filter(\.isUsable).map(\.name) }
}

/// Decodes a body as it arrives, in pieces of bounded size.
///
/// libcurl's own decoding is off: it decodes all that it has read before it can be paused, and ends the
/// transfer if the result is more than 64 MiB. 64 KiB of gzip can expand to that size if they encode zeros,
/// and so can a few hundred bytes of zstd.
final class BodyDecoder {
  private let decoder: OpaquePointer

  /// The maximum number of codings to decode, because each takes memory.
  static let limit = 5

  /// Creates a decoder for the body that follows a head.
  init(_ head: borrowing ResponseHeadBuffer) throws(TransferError) {
    if let name = head.unknownCoding {
      let reason = """
        its body has the coding \(name.debugDescription), which this system cannot decode; to receive a content \
        coding as it is, set Accept-Encoding
        """
      throw .badServerResponse(reason: reason)
    }
    guard head.codings.count <= Self.limit else {
      let reason = """
        its body has \(head.codings.count) codings, at most \(Self.limit) can be decoded; to receive it as it is, \
        set Accept-Encoding
        """
      throw .badServerResponse(reason: reason)
    }
    // The coding applied last is decoded first; the other decoders read from its output.
    var made: OpaquePointer?
    for coding in head.codings.reversed() {
      made = ccurl_decoder_make(coding.rawValue, made)
      if made == nil { break }
    }
    guard let made else {
      throw .other(code: CCURLE_OUT_OF_MEMORY, reason: "no memory to decode the body")
    }
    decoder = made
  }

  deinit {
    ccurl_decoder_free(decoder)
  }

  /// Whether the body may end here.
  var isWhole: Bool { ccurl_decoder_is_complete(decoder) }

  /// Decodes until the buffer is full or the input is used up.
  ///
  /// - Parameters:
  ///   - input: the next bytes of the body; on return, the bytes that have not been used yet.
  ///   - output: receives the decoded bytes.
  /// - Returns: the number of bytes written; 0 if the bytes so far yield no more.
  /// - Throws: `.badServerResponse` if the bytes do not have the announced coding, or continue after its end.
  func decode(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(TransferError) -> Int {
    var next = input.bindMemory(to: UInt8.self).baseAddress
    var (count, produced) = (input.count, 0)
    let result = ccurl_decode(
      decoder, &next, &count, output.bindMemory(to: UInt8.self).baseAddress, output.count, &produced)
    input = UnsafeRawBufferPointer(start: next, count: count)
    switch result {
    case CCURL_DECODE_INVALID:
      throw .badServerResponse(reason: "the body does not have the coding that its head announces")
    case CCURL_DECODE_TRAILING_BYTES:
      throw .badServerResponse(reason: "further bytes follow the encoded body")
    default: return produced
    }
  }
}

/// The buffer into which the transfers of a loop decode their bodies, one at a time.
final class DecodingBuffer {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)

  deinit {
    bytes.deallocate()
  }
}

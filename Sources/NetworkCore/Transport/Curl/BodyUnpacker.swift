internal import CCurl

/// How a body is packed (RFC 9110, section 8.4).
enum Packing: CInt, CaseIterable {
  case deflate = 0
  case gzip = 1
  case brotli = 2
  case zstd = 3

  /// Reads the name of a coding, without blanks around it.
  init?(name: Slice<UnsafeRawBufferPointer>) {
    for packing in Self.allCases
    where packing.names.contains(where: {
      name.count == $0.utf8CodeUnitCount && name.hasLowercasedPrefix($0)
    }) {
      self = packing
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

  /// The names of the codings that can be unpacked here.
  static var usable: [String] { allCases.filter { ccurl_can_unpack($0.rawValue) }.map(\.name) }
}

/// Unpacks a body as it comes, a piece of bounded size at a time.
///
/// libcurl is not asked to: it unpacks all that it has read before it can be told to wait, and ends the transfer when that is more than
/// 64 MiB. One that reads 64 KiB gets as much of zeros that gzip has packed, and of a few hundred bytes of zstd.
final class BodyUnpacker {
  private let unpacker: OpaquePointer

  /// More codings than this are not undone: each takes memory of its own.
  private static let limit = 5

  /// Makes an unpacker for the body that follows a head.
  init(_ head: borrowing HeadLines) throws(TransferError) {
    if let name = head.unknownPacking {
      let reason = "its body has the coding \(name.debugDescription), which is not known"
      throw .badServerResponse(reason: reason)
    }
    guard head.packings.count <= Self.limit else {
      throw .badServerResponse(
        reason: "its body has \(head.packings.count) codings; \(Self.limit) can be undone")
    }
    // The last one applied is the first to undo, and what the others read from.
    var made: OpaquePointer?
    for packing in head.packings.reversed() {
      guard ccurl_can_unpack(packing.rawValue) else {
        ccurl_unpacker_free(made)
        let reason = "its body has the coding \(packing.name), which cannot be undone here"
        throw .badServerResponse(reason: reason)
      }
      made = ccurl_unpacker_make(packing.rawValue, made)
      if made == nil { break }
    }
    guard let made else {
      throw .other(code: CCURLE_OUT_OF_MEMORY, reason: "no memory to unpack the body")
    }
    unpacker = made
  }

  deinit {
    ccurl_unpacker_free(unpacker)
  }

  /// Whether the body may end here.
  var isWhole: Bool { ccurl_unpacker_is_whole(unpacker) }

  /// Unpacks until a buffer is full or there is no more input.
  ///
  /// - Parameters:
  ///   - input: the next bytes of the body, less those that have been used when the call returns.
  ///   - output: where the unpacked bytes go.
  /// - Returns: how many bytes were written; 0 if there is no more to unpack of the bytes so far.
  /// - Throws: `.badServerResponse` if the bytes are not what was announced, or go on behind its end.
  func unpack(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(TransferError) -> Int {
    var next = input.bindMemory(to: UInt8.self).baseAddress
    var (count, produced) = (input.count, 0)
    let result = ccurl_unpack(
      unpacker, &next, &count, output.bindMemory(to: UInt8.self).baseAddress, output.count, &produced)
    input = UnsafeRawBufferPointer(start: next, count: count)
    switch result {
    case CCURL_UNPACK_BROKEN: throw .badServerResponse(reason: "the body is not packed as its head says")
    case CCURL_UNPACK_SURPLUS: throw .badServerResponse(reason: "something follows the encoded body")
    default: return produced
    }
  }
}

/// Where the bodies of a loop's transfers are unpacked to, one after the other.
final class UnpackingBuffer {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)

  deinit {
    bytes.deallocate()
  }
}

import Foundation

/// The encoding of a text body.
enum TextEncoding {
  /// Decodes a body.
  ///
  /// - Parameters:
  ///   - body: the body.
  ///   - contentType: the value of its `Content-Type`, if there is one.
  /// - Returns: the text; `nil` if the body does not have its encoding.
  static func text(of body: Data, contentType: String?) -> String? {
    // A mark is more reliable than the field (WHATWG Encoding, section 6).
    for (mark, encoding) in marks where body.starts(with: mark) {
      return text(of: body.dropFirst(mark.count), encoding)
    }
    guard let charset = contentType.flatMap(charset) else { return text(of: body, .utf8) }
    if let encoding = encodings[charset] { return text(of: body, encoding) }
    let name = supersets[charset] ?? charset
    guard let converter = CharsetConverter(name) else { return text(of: body, .utf8) }
    return converter.text(of: body)
  }

  private static func text(of body: Data, _ encoding: String.Encoding) -> String? {
    if encoding == .utf8 { return String(validating: body, as: UTF8.self) }
    // Foundation ignores the bytes after the last whole code unit.
    let isWhole = body.count.isMultiple(of: unitSizes[encoding] ?? 1)
    return isWhole ? String(data: body, encoding: encoding) : nil
  }

  /// The number of bytes of a code unit, if it is not 1.
  private static let unitSizes: [String.Encoding: Int] = [
    .utf16BigEndian: 2, .utf16LittleEndian: 2, .utf32BigEndian: 4, .utf32LittleEndian: 4,
  ]

  /// Returns the first parameter `charset` of a media type, in lower case.
  private static func charset(_ contentType: String) -> String? {
    for parameter in parameters(contentType) {
      let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmed.lowercased() }
      if parts.count == 2, parts[0] == "charset" {
        return parts[1].trimmingCharacters(in: CharacterSet(charactersIn: "\"'"))
      }
    }
    return nil
  }

  /// Returns the parameters of the first of several media types.
  private static func parameters(_ contentType: String) -> ArraySlice<String> {
    var parts = [""]
    var (isQuoted, isEscaped) = (false, false)
    // Scalars instead of characters, because a quotation mark and a combining mark after it are one character.
    for scalar in contentType.unicodeScalars {
      switch scalar {
      case "," where isQuoted, ";" where isQuoted: break
      case ",": return parts.dropFirst()
      case ";":
        parts.append("")
        continue
      case "\"" where !isEscaped: isQuoted.toggle()
      default: break
      }
      isEscaped = isQuoted && !isEscaped && scalar == "\\"
      parts[parts.count - 1].unicodeScalars.append(scalar)
    }
    return parts.dropFirst()
  }

  private static let marks: [([UInt8], String.Encoding)] = [
    // Before UTF-16, whose mark the second one begins with.
    ([0, 0, 0xFE, 0xFF], .utf32BigEndian), ([0xFF, 0xFE, 0, 0], .utf32LittleEndian),
    ([0xEF, 0xBB, 0xBF], .utf8), ([0xFE, 0xFF], .utf16BigEndian), ([0xFF, 0xFE], .utf16LittleEndian),
  ]

  /// The encodings for which the C library is not needed, by their names (IANA character sets), in lower case.
  ///
  /// ASCII is read as UTF-8, which many servers send under that name.
  /// UTF-16 and UTF-32 without a mark are big-endian (RFC 2781, section 4.3).
  private static let encodings: [String: String.Encoding] = [
    "utf-8": .utf8, "utf8": .utf8, "us-ascii": .utf8, "ascii": .utf8,
    "utf-16": .utf16BigEndian, "utf-16be": .utf16BigEndian, "utf-16le": .utf16LittleEndian,
    "utf-32": .utf32BigEndian, "utf-32be": .utf32BigEndian, "utf-32le": .utf32LittleEndian,
    "iso-8859-1": .isoLatin1, "latin1": .isoLatin1, "iso_8859-1": .isoLatin1, "l1": .isoLatin1,
    "iso-8859-2": .isoLatin2, "latin2": .isoLatin2, "windows-1250": .windowsCP1250,
    "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252, "cp1252": .windowsCP1252,
    "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254, "shift_jis": .shiftJIS,
    "shift-jis": .shiftJIS, "x-sjis": .shiftJIS, "windows-31j": .shiftJIS, "iso-2022-jp": .iso2022JP,
    "macintosh": .macOSRoman,
  ]

  /// Larger character sets that servers send under the names of smaller ones (WHATWG Encoding, section 4.2).
  private static let supersets = [
    "gb2312": "gbk", "csgb2312": "gbk", "gb_2312-80": "gbk", "x-gbk": "gbk", "chinese": "gbk",
    "euc-kr": "cp949",
    "cseuckr": "cp949", "korean": "cp949", "ksc5601": "cp949", "ksc_5601": "cp949", "ks_c_5601-1987": "cp949",
    "ks_c_5601-1989": "cp949", "windows-949": "cp949",
  ]
}

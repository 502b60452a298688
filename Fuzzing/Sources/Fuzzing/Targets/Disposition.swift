// Property: the file name of a Content-Disposition is what a machine of states finds, and is read again from
// either form of RFC 6266; the name that is made of any suggestion stays in its folder, fits every file
// system and is its own suggestion, and a harmless one is not changed.
import Foundation
@testable import NetworkCore
@testable import NetworkCoreTransport

@Sendable func testDisposition(_ input: FuzzInput) throws {
  var input = input
  let other = input.line()
  let name = input.text
  let found = ContentDisposition(other).filename
  if let found { try checkSuggestion(found) }
  // Whether characters beyond them are blanks, and what they combine with, differs between parsers.
  if other.unicodeScalars.allSatisfy({ $0.value < 0x80 || (0xA1...0xFF).contains($0.value) }) {
    try requireEqual(found, PlainDisposition(other).filename, other)
  }
  try checkSuggestion(name)
  try checkHarmless(name)

  let quoted = name.unicodeScalars.reduce(into: "") { text, scalar in
    if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
    text.unicodeScalars.append(scalar)
  }
  let extended = name.utf8.map { percentEncoded($0) }.joined()
  try requireEqual(ContentDisposition("attachment; filename=\"\(quoted)\"").filename, name, "quoted")
  try requireEqual(
    ContentDisposition("attachment; x=\"filename=a\"; filename=b; filename*=UTF-8''\(extended)").filename,
    name,
    "extended")
  try requireEqual(
    ContentDisposition("inline; filename*=utf-8'de'\(extended); filename=\"\(quoted)\"").filename, name,
    "both")
}

private func checkSuggestion(_ suggestion: String) throws {
  let name = SuggestedFilename(suggestion).text
  try require(!name.isEmpty && name.utf8.count <= 255, "\(name.utf8.count) bytes")
  try require(!name.unicodeScalars.contains { "/\\\0\n\r\u{202E}".unicodeScalars.contains($0) }, name)
  try require(name.unicodeScalars.first != "." && name.unicodeScalars.first != " ", name)
  try requireEqual(SuggestedFilename(name).text, name, "the name of a name")
}

/// Letters, digits and the like, which every file system takes.
private func checkHarmless(_ suggestion: String) throws {
  let isHarmless = suggestion.utf8.allSatisfy {
    (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || "-_.".utf8.contains($0)
  }
  guard isHarmless, let first = suggestion.first, first != "." else { return }
  let name = SuggestedFilename(suggestion).text
  try requireEqual(SuggestedFilename("../a\\b/" + suggestion).text, name, "in a folder")
  guard suggestion.utf8.count > 255 else { return try requireEqual(name, suggestion, "harmless") }
  let parts = suggestion.split(separator: ".", omittingEmptySubsequences: false)
  let ending = parts.count > 1 ? "." + (parts.last ?? "") : ""
  let kept = ending.utf8.count <= 32 ? ending : ""
  try requireEqual(name, suggestion.prefix(255 - kept.utf8.count) + kept, "shortened")
}

/// The parameters of a field, read by a machine of states.
private struct PlainDisposition {
  private enum State { case junk, name, value, token, quoted, escape }

  private struct Parameter {
    var name = ""
    var value: String?
    var isToken = true

    mutating func append(_ scalar: Unicode.Scalar) { value?.unicodeScalars.append(scalar) }
  }

  private(set) var filename: String?

  init(_ text: String) {
    var state = State.junk
    var parameters: [Parameter] = []
    for scalar in text.unicodeScalars {
      let last = parameters.count - 1
      switch (state, scalar) {
      case (.junk, ";"), (.name, ";"), (.value, ";"), (.token, ";"):
        parameters.append(Parameter())
        state = .name
      case (.name, "="):
        parameters[last].value = ""
        state = .value
      case (.name, _): parameters[last].name.unicodeScalars.append(scalar)
      case (.value, "\""):
        parameters[last].isToken = false
        state = .quoted
      case (.junk, _), (.value, " "), (.value, "\t"): break
      case (.value, _), (.token, _):
        parameters[last].append(scalar)
        state = .token
      case (.quoted, "\""): state = .junk
      case (.quoted, "\\"): state = .escape
      case (.quoted, _): parameters[last].append(scalar)
      case (.escape, _):
        // Before anything else, the backslash is the separator of some servers' folders.
        if scalar != "\"", scalar != "\\" { parameters[last].append("\\") }
        parameters[last].append(scalar)
        state = .quoted
      }
    }
    if state == .escape { parameters[parameters.count - 1].append("\\") }
    let values = { (name: String) in
      parameters.filter { Self.trimmed($0.name).lowercased() == name }.compactMap { parameter in
        parameter.value.map { parameter.isToken ? Self.trimmed($0) : $0 }
      }
    }
    filename = values("filename*").lazy.compactMap(Self.decoded).first ?? values("filename").first
  }

  private static func trimmed(_ text: String) -> String {
    var scalars = text.unicodeScalars[...]
    while let first = scalars.first, first == " " || first == "\t" { scalars.removeFirst() }
    while let last = scalars.last, last == " " || last == "\t" { scalars.removeLast() }
    return String(scalars)
  }

  /// RFC 8187: a character set, a language and a text, between apostrophes.
  private static func decoded(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    let marks = bytes.indices.filter { bytes[$0] == UInt8(ascii: "'") }
    guard marks.count >= 2 else { return nil }
    let charset = String(decoding: bytes[..<marks[0]], as: UTF8.self).lowercased()
    var decoded: [UInt8] = []
    var index = marks[1] + 1
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "%") else {
        decoded.append(bytes[index])
        index += 1
        continue
      }
      let digits = bytes[(index + 1)...].prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
      guard digits.count == 2 else { return nil }
      decoded.append(UInt8(digits[0] * 16 + digits[1]))
      index += 3
    }
    switch charset {
    case "utf-8": return String(validating: decoded, as: UTF8.self)
    case "iso-8859-1": return String(String.UnicodeScalarView(decoded.map { Unicode.Scalar($0) }))
    default: return nil
    }
  }
}

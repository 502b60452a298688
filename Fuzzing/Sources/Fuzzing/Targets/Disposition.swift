// Property: a file name that is written in either form of RFC 6266 is read again, and the name that is made of any
// suggestion stays in its folder, fits every file system and is its own suggestion.
import Foundation
@testable import NetworkCore
@testable import NetworkCoreTransport

@Sendable func testDisposition(_ input: FuzzInput) throws {
  var input = input
  let other = input.line()
  let name = input.text
  if let found = ContentDisposition(other).filename { try checkSuggestion(found) }
  try checkSuggestion(name)

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

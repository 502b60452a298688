import Foundation

/// The properties that the fuzzer checks, by the name of their target.
///
/// One program contains all targets, and `FUZZ_TARGET` selects one: a program for each would compile and link the
/// instrumented libraries as often.
private let targets: [String: @Sendable (FuzzInput) throws -> Void] = [
  "cache": testCache, "codings": testCodings, "cookies": testCookies, "dates": testDates,
  "disposition": testDisposition, "events": testEvents, "fields": testFields, "forms": testForms,
  "frames": testFrames, "json": testJSON, "lines": testLines, "links": testLinks, "marbles": testMarbles,
  "multipart": testMultipart, "recordings": testRecordings, "redirects": testRedirects,
  "requests": testRequests, "values": testValues,
]

private let target = ProcessInfo.processInfo.environment["FUZZ_TARGET"].flatMap { targets[$0] }

/// Runs the selected target on one input; the process stops if its property does not hold.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let target else {
    stop("FUZZ_TARGET must be one of \(targets.keys.sorted().joined(separator: " "))")
  }
  do {
    try target(FuzzInput(Array(UnsafeBufferPointer(start: bytes, count: count))))
  } catch {
    stop("\(error)")
  }
  return 0
}

/// A signal, unlike an exit, makes libFuzzer save the input.
private func stop(_ message: String) -> Never {
  FileHandle.standardError.write(Data("== \(message)\n".utf8))
  abort()
}

/// The behavior that contradicts a property.
struct Violation: Error, CustomStringConvertible {
  let description: String
}

/// Throws unless a condition holds.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw Violation(description: message()) }
}

/// Throws unless two values are equal.
func requireEqual<Value: Equatable>(
  _ first: Value, _ second: Value, _ message: @autoclosure () -> String
) throws {
  try require(first == second, "\(message()): \(first) and \(second)")
}

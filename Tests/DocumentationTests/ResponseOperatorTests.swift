import Testing

@Suite("Operators of responses")
struct ResponseOperatorTests {
  @Test(
    "observables, publishers and producers have the operators of singles, with the same defaults",
    arguments: [
      "ReactiveNetwork/Observable+Response", "ReactiveNetwork/Combine/Publisher+Response",
      "ReactiveSwiftCompatibility/SignalProducer+Response",
    ])
  func sameOperators(file: String) throws {
    // A second name of `filter(statusCodes:)`.
    let common = try operators("ReactiveNetwork/Single+Response").filter {
      !$0.hasPrefix("filterStatusCodes")
    }
    #expect(common.count == 7)
    #expect(common.subtracting(try operators(file)).isEmpty)
  }

  /// The names and parameters of the public functions of a file.
  private func operators(_ file: String) throws -> Set<String> {
    let text = try Document("Sources/\(file).swift").text
      // The bridge to OpenCombine compiles the publishers in a package that cannot access the shared decoder.
      .replacing("JSONDecoder = JSONDecoder()", with: "JSONDecoder = .standard")
    let matches = text.matches(of: #/(?s)public func (.*?)\s*->/#)
    return Set(matches.map { $0.output.1.split(whereSeparator: \.isWhitespace).joined(separator: " ") })
  }
}

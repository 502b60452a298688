#if canImport(XCTest)
  public import RxLite
  import XCTest

  /// Fails the running XCTest unless two lists of results are equal, element by element.
  ///
  /// Use it for the events of a `Single`: they are `Result`s, which XCTest cannot compare because errors need
  /// not be `Equatable`. Errors are equal if their types are the same and their descriptions are equal.
  ///
  /// - Parameters:
  ///   - lhs: the events.
  ///   - rhs: the expected events.
  ///   - file: the file of the failure.
  ///   - line: the line of the failure.
  public func XCTAssertEqual<Element: Equatable>(
    _ lhs: [SingleEvent<Element>], _ rhs: [SingleEvent<Element>], file: StaticString = #filePath,
    line: UInt = #line
  ) {
    if lhs.elementsEqual(rhs, by: ==) { return }
    XCTFail("XCTAssertEqual failed: (\"\(lhs)\") is not equal to (\"\(rhs)\")", file: file, line: line)
  }

  /// Fails the running XCTest unless a recording holds given elements and no stop event.
  ///
  /// - Parameters:
  ///   - stream: the recording.
  ///   - elements: the expected elements, at any times.
  ///   - file: the file of the failure.
  ///   - line: the line of the failure.
  public func XCTAssertRecordedElements<Element: Equatable>(
    _ stream: [Recorded<Event<Element>>], _ elements: [Element], file: StaticString = #filePath,
    line: UInt = #line
  ) {
    if let stop = stream.first(where: { $0.value.isStopEvent }) {
      XCTFail("A stop event was recorded: \(stop)", file: file, line: line)
    }
    XCTAssertEqual(stream.compactMap(\.value.element), elements, file: file, line: line)
  }
#endif

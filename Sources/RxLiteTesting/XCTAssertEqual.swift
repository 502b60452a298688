#if canImport(XCTest)
  public import RxLite
  import XCTest

  /// Fails the running XCTest unless two lists of results are equal, element by element.
  ///
  /// For the events of a `Single`: they are `Result`s, which XCTest cannot compare because errors need not be `Equatable`. Errors are
  /// equal if their types are the same and they print the same.
  ///
  /// - Parameters:
  ///   - lhs: the events.
  ///   - rhs: the events that are expected.
  ///   - file: where the failure is shown.
  ///   - line: where the failure is shown.
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
  ///   - elements: the elements that are expected, at whatever times.
  ///   - file: where the failure is shown.
  ///   - line: where the failure is shown.
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

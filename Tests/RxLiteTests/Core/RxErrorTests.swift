import RxLite
import Testing

@Suite("RxError")
struct RxErrorTests {
  private final class DescribedObject: CustomStringConvertible {
    let description = "the subject"
  }

  @Test("each case has a one-line description")
  func descriptions() {
    let errors: [RxError] = [
      .unknown, .disposed(object: DescribedObject()), .overflow, .argumentOutOfRange, .noElements,
      .moreThanOneElement,
      .timeout,
    ]
    #expect(
      errors.map(\.debugDescription) == [
        "An unknown error occurred.", "the subject was used after it was disposed.",
        "A count exceeded the largest Int.", "An argument or index is out of range.",
        "The sequence has no elements.", "The sequence has more than one element.", "The sequence timed out.",
      ])
  }
}

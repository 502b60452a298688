/// An error of an operator.
public enum RxError: Error {
  /// The cause is unknown.
  case unknown
  /// `object` was used after it was disposed.
  case disposed(object: AnyObject)
  /// A count exceeded the largest `Int`.
  case overflow
  /// An argument or index is out of range.
  case argumentOutOfRange
  /// A sequence that must have an element is empty.
  case noElements
  /// A sequence that must have one element has more than one.
  case moreThanOneElement
  /// The time limit was exceeded.
  case timeout
}

// The one payload that is not Sendable is the disposed object, which is used only in a message.
extension RxError: @unchecked Sendable {}

extension RxError: CustomDebugStringConvertible {
  /// A one-line description of the error.
  public var debugDescription: String {
    switch self {
    case .unknown: "An unknown error occurred."
    case .disposed(let object): "\(object) was used after it was disposed."
    case .overflow: "A count exceeded the largest Int."
    case .argumentOutOfRange: "An argument or index is out of range."
    case .noElements: "The sequence has no elements."
    case .moreThanOneElement: "The sequence has more than one element."
    case .timeout: "The sequence timed out."
    }
  }
}

/// What the operators themselves can fail with.
public enum RxError: Error {
  /// Nobody knows.
  case unknown
  /// `object` was used after it was disposed.
  case disposed(object: AnyObject)
  /// A count went past the largest `Int`.
  case overflow
  /// An argument or index lies outside of what is allowed.
  case argumentOutOfRange
  /// A sequence that must have an element has none.
  case noElements
  /// A sequence that must have one element has more.
  case moreThanOneElement
  /// The time is up.
  case timeout
}

// The one payload that is not Sendable, the disposed object, is there to be named in a message.
extension RxError: @unchecked Sendable {}

extension RxError: CustomDebugStringConvertible {
  /// What happened, in one line.
  public var debugDescription: String {
    switch self {
    case .unknown: "An unknown error occurred."
    case .disposed(let object): "\(object) was used after it was disposed."
    case .overflow: "A count went past the largest Int."
    case .argumentOutOfRange: "An argument lies outside of the allowed range."
    case .noElements: "The sequence has no elements."
    case .moreThanOneElement: "The sequence has more than one element."
    case .timeout: "The sequence timed out."
    }
  }
}

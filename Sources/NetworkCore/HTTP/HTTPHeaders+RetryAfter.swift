public import Foundation

extension HTTPHeaders {
  /// The seconds after which the server wants to be asked again (RFC 9110, section 10.2.3); `nil` where it does not say.
  ///
  /// A date is counted from the answer's own `Date`, so that clocks that differ do no harm.
  public var retryAfter: TimeInterval? {
    guard let value = self["Retry-After"]?.trimmingCharacters(in: .whitespaces), !value.isEmpty else {
      return nil
    }
    if value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return TimeInterval(value) }
    guard let date = Self.date(value) else { return nil }
    return Swift.max(0, date.timeIntervalSince(self["Date"].flatMap(Self.date) ?? Date()))
  }

  /// A date of a field (RFC 9110, section 5.6.7).
  static func date(_ text: String) -> Date? {
    HTTPDate.seconds(text).map { Date(timeIntervalSince1970: $0) }
  }
}

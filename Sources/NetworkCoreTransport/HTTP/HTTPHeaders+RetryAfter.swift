package import Foundation
internal import ReactiveNetworkLock

extension HTTPHeaders {
  /// The wait that `Retry-After` requires; `nil` if the field is missing or invalid.
  ///
  /// See RFC 9110, section 10.2.3. A date is compared with the response's own `Date`, so that a wrong local
  /// clock has no effect; without a `Date`, it is compared with the local clock.
  public var retryAfter: Duration? { retryAfter(at: Date()) }

  /// The wait that `Retry-After` requires, with the time for a response without a `Date`.
  package func retryAfter(at now: Date) -> Duration? {
    guard let value = self["Retry-After"]?.trimmingCharacters(in: .whitespaces), !value.isEmpty else {
      return nil
    }
    if value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return Double(value).map { .inSeconds($0) } }
    guard let date = Self.date(value) else { return nil }
    return .inSeconds(Swift.max(0, date.timeIntervalSince(self["Date"].flatMap(Self.date) ?? now)))
  }

  /// Parses the date in a field (RFC 9110, section 5.6.7).
  package static func date(_ text: String) -> Date? {
    HTTPDate.seconds(text).map { Date(timeIntervalSince1970: $0) }
  }
}

internal import Foundation
internal import NetworkCoreTransport

/// The date of an `Expires` attribute (RFC 6265, section 5.1.1), which servers spell in many ways.
enum CookieDate {
  private static let months: [StaticString] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Returns the time in seconds since 1970; `nil` for text that is no date.
  static func seconds(_ text: [UInt8]) -> Int? {
    var time: (hour: Int, minute: Int, second: Int)?
    var (day, month, year): (Int?, Int?, Int?)
    for token in text.split(whereSeparator: \.isDateDelimiter) {
      if time == nil, let found = clock(token) {
        time = found
      } else if day == nil, let found = number(token, 1...2) {
        day = found
      } else if month == nil, let found = self.month(token) {
        month = found
      } else if year == nil, let found = number(token, 2...4) {
        year = found < 70 ? found + 2_000 : found < 100 ? found + 1_900 : found
      }
    }
    guard let time, let day, let month, let year, (1...31).contains(day), year >= 1_601, time.hour < 24,
      time.minute < 60, time.second < 60
    else { return nil }
    var fields = tm()
    (fields.tm_year, fields.tm_mon, fields.tm_mday) = (CInt(year - 1_900), CInt(month), CInt(day))
    (fields.tm_hour, fields.tm_min, fields.tm_sec) = (CInt(time.hour), CInt(time.minute), CInt(time.second))
    let seconds = timegm(&fields)
    // `timegm` makes 1 March of 29 February in other years.
    return fields.tm_mday == CInt(day) ? seconds : nil
  }

  /// Reads `hour:minute:second`, after which anything but a digit may follow.
  private static func clock(_ token: ArraySlice<UInt8>) -> (Int, Int, Int)? {
    let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let hour = whole(parts[0], 1...2), let minute = whole(parts[1], 1...2),
      let second = number(parts[2], 1...2)
    else { return nil }
    return (hour, minute, second)
  }

  private static func month(_ token: ArraySlice<UInt8>) -> Int? {
    months.firstIndex { token.hasLowercasedPrefix($0) }
  }

  /// Reads a number of so many digits, after which anything but a digit may follow.
  private static func number(_ token: ArraySlice<UInt8>, _ counts: ClosedRange<Int>) -> Int? {
    whole(token.prefix(while: \.isDigit), counts)
  }

  private static func whole(_ digits: ArraySlice<UInt8>, _ counts: ClosedRange<Int>) -> Int? {
    guard counts.contains(digits.count), digits.allSatisfy(\.isDigit) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}

extension UInt8 {
  /// Whether it separates the parts of a date.
  fileprivate var isDateDelimiter: Bool {
    switch self {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }
}

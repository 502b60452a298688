package import Foundation

/// The dates of header fields (RFC 9110, section 5.6.7), in the current format and the two obsolete ones.
package enum HTTPDate {
  /// Returns seconds since 1970; `nil` if the text has none of the three formats.
  ///
  /// Parsed without a `DateFormatter`, which costs more than the rest of a response.
  package static func seconds(_ text: String) -> TimeInterval? {
    seconds(text, now: Date().timeIntervalSince1970)
  }

  /// Reads a date.
  ///
  /// - Parameters:
  ///   - text: the date.
  ///   - now: the present, in seconds since 1970. A year of two digits that is more than 50 years later
  ///     belongs to the past.
  /// - Returns: seconds since 1970; `nil` if the text has none of the three formats.
  package static func seconds(_ text: String, now: TimeInterval) -> TimeInterval? {
    let fields = text.split(separator: " ", omittingEmptySubsequences: false)
    guard fields[0].isWeekday else { return nil }
    let (day, month, year, time): (Substring, Substring, Substring, Substring)
    var yearDigits = 4
    switch (fields.count, fields[0].hasSuffix(",")) {
    case (6, true):
      // Sun, 06 Nov 1994 08:49:37 GMT
      guard fields[5].isGMT else { return nil }
      (day, month, year, time) = (fields[1], fields[2], fields[3], fields[4])
    case (4, true):
      // Sunday, 06-Nov-94 08:49:37 GMT
      let date = fields[1].split(separator: "-", omittingEmptySubsequences: false)
      guard fields[3].isGMT, date.count == 3 else { return nil }
      (day, month, year, time) = (date[0], date[1], date[2], fields[2])
      yearDigits = 2
    case (5, false), (6, false):
      // Sun Nov 16 08:49:37 1994 / Sun Nov  6 08:49:37 1994
      guard fields.count == 5 || fields[2].isEmpty else { return nil }
      day = fields.count == 5 ? fields[2] : "0" + fields[3]
      (month, year, time) = (fields[1], fields[fields.count - 1], fields[fields.count - 2])
    default: return nil
    }
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map {
      $0.number(digits: 2) ?? -1
    }
    guard let day = day.number(digits: 2), day >= 1,
      let month = months.firstIndex(of: month.lowercased()),
      let year = year.number(digits: yearDigits), clock.count == 3, (0...23).contains(clock[0]),
      (0...59).contains(clock[1]), (0...60).contains(clock[2])
    else { return nil }
    let secondOfDay = (clock[0] * 60 + clock[1]) * 60 + clock[2]
    func seconds(inYear year: Int) -> TimeInterval? {
      // No date, such as 31 February, is the same day as another one.
      let start = days(year, month + 1, 1)
      let end = month == 11 ? days(year + 1, 1, 1) : days(year, month + 2, 1)
      return start + day <= end ? TimeInterval((start + day - 1) * 86_400 + secondOfDay) : nil
    }
    guard yearDigits == 2 else { return seconds(inYear: year) }
    let latest = now + 50 * 365.2425 * 86_400
    let century = (1970 + Int(now / (365.2425 * 86_400))) / 100 * 100
    guard let date = seconds(inYear: century + year), date > latest else {
      return seconds(inYear: century + year)
    }
    return seconds(inYear: century + year - 100)
  }

  /// Returns a time in the current format, in whole seconds.
  ///
  /// - Parameter seconds: the time in seconds since 1970; one outside the years 1970 to 9999 counts as the nearest.
  /// - Returns: the date.
  static func text(_ seconds: TimeInterval) -> String {
    var time = time_t(min(max(seconds, 0), 253_402_300_799))
    var fields = tm()
    gmtime_r(&time, &fields)
    func padded(_ number: CInt, _ digits: Int = 2) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
    let day = String(weekdays[Int(fields.tm_wday)].prefix(3)).capitalized
    let month = months[Int(fields.tm_mon)].capitalized
    let clock = [fields.tm_hour, fields.tm_min, fields.tm_sec].map { padded($0) }.joined(separator: ":")
    return "\(day), \(padded(fields.tm_mday)) \(month) \(padded(fields.tm_year + 1_900, 4)) \(clock) GMT"
  }

  fileprivate static let weekdays = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Returns the days since 1970 of a date of the Gregorian calendar; computed with years that begin in
  /// March, and 400 years later, so that divisions round down in January of the year 0 too.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = year + 400 - (month <= 2 ? 1 : 0)
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let leaps = shifted / 4 - shifted / 100 + shifted / 400
    return shifted * 365 + leaps + dayOfYear - 719_468 - 146_097
  }
}

extension Substring {
  /// Whether it is the name of a weekday, or its first three letters or more, with or without a comma.
  fileprivate var isWeekday: Bool {
    let name = (hasSuffix(",") ? dropLast() : self).lowercased()
    return name.utf8.count >= 3 && HTTPDate.weekdays.contains { $0.hasPrefix(name) }
  }

  fileprivate var isGMT: Bool { self == "GMT" || uppercased() == "GMT" }

  /// The number that consists of so many decimal digits.
  fileprivate func number(digits: Int) -> Int? {
    guard utf8.count == digits, utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(self)
  }
}

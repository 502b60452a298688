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
    // Sun, 06 Nov 1994 08:49:37 GMT / Sunday, 06-Nov-94 08:49:37 GMT / Sun Nov  6 08:49:37 1994
    let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.dropFirst()
    guard words.count == 4 || words.count == 5, let first = words.first else { return nil }
    let isC = first.first?.isNumber == false
    let parts = Array(words)
    let (dayText, monthText) = isC ? (parts[1], parts[0]) : (parts[0], parts[1])
    let (yearText, timeText) = isC ? (parts[3], parts[2]) : (parts[2], parts[3])
    let time = timeText.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
    guard isC == (parts.count == 4), isC || parts[4] == "GMT", let day = Int(dayText),
      let year = Int(yearText),
      let month = months.firstIndex(of: monthText.lowercased()), time.count == 3,
      day >= 1, year >= 0, yearText.utf8.count == 4 || yearText.utf8.count == 2,
      (0...23).contains(time[0]),
      (0...59).contains(time[1]),
      (0...60).contains(time[2])
    else { return nil }
    let secondOfDay = (time[0] * 60 + time[1]) * 60 + time[2]
    func seconds(inYear year: Int) -> TimeInterval? {
      // No date, such as 31 February, is the same day as another one.
      let start = days(year, month + 1, 1)
      let end = month == 11 ? days(year + 1, 1, 1) : days(year, month + 2, 1)
      return start + day <= end ? TimeInterval((start + day - 1) * 86_400 + secondOfDay) : nil
    }
    guard yearText.utf8.count == 2 else { return seconds(inYear: year) }
    let latest = now + 50 * 365.2425 * 86_400
    let century = (1970 + Int(now / (365.2425 * 86_400))) / 100 * 100
    guard let date = seconds(inYear: century + year), date > latest else {
      return seconds(inYear: century + year)
    }
    return seconds(inYear: century + year - 100)
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Returns the days since 1970 of a date of the Gregorian calendar; computed with years that begin in
  /// March.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let leaps = shifted / 4 - shifted / 100 + shifted / 400
    return shifted * 365 + leaps + dayOfYear - 719_468
  }
}

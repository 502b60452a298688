package import typealias Foundation.TimeInterval

/// The dates of header fields (RFC 9110, section 5.6.7), in the current format and the two obsolete ones.
package enum HTTPDate {
  /// Returns seconds since 1970; `nil` if the text has none of the three formats.
  ///
  /// Parsed without a `DateFormatter`, which costs more than the rest of a response.
  package static func seconds(_ text: String) -> TimeInterval? {
    // Sun, 06 Nov 1994 08:49:37 GMT / Sunday, 06-Nov-94 08:49:37 GMT / Sun Nov  6 08:49:37 1994
    let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.dropFirst()
    guard words.count == 4 || words.count == 5, let first = words.first else { return nil }
    let isC = first.first?.isNumber == false
    let parts = Array(words)
    let (dayText, monthText) = isC ? (parts[1], parts[0]) : (parts[0], parts[1])
    let (yearText, timeText) = isC ? (parts[3], parts[2]) : (parts[2], parts[3])
    let time = timeText.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
    guard isC == (parts.count == 4), isC || parts[4] == "GMT", let day = Int(dayText),
      var year = Int(yearText),
      let month = months.firstIndex(of: monthText.lowercased()), time.count == 3,
      (1...31).contains(day), year >= 0, yearText.utf8.count == 4 || yearText.utf8.count == 2,
      (0...23).contains(time[0]),
      (0...59).contains(time[1]),
      (0...60).contains(time[2])
    else { return nil }
    // A two-digit year from 70 on, if a server still sends one, belongs to the 20th century.
    if yearText.count == 2 { year += year < 70 ? 2000 : 1900 }
    return TimeInterval(((days(year, month + 1, day) * 24 + time[0]) * 60 + time[1]) * 60 + time[2])
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

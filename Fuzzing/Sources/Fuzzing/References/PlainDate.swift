import Foundation

/// Dates, read from their bytes by templates and by the grammar of the RFCs.
enum PlainDate {
  private static let weekdays = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  /// The text after the weekday, and whether a comma precedes it; a letter stands for a digit or a letter of a part.
  private static let templates = [
    ("DD MMM YYYY hh:mm:ss ZZZ", true), ("DD-MMM-YY hh:mm:ss ZZZ", true), ("MMM DD hh:mm:ss YYYY", false),
    ("MMM  D hh:mm:ss YYYY", false),
  ]

  /// The moment of a date of RFC 9110, section 5.6.7, with at least three letters of the weekday and in any case.
  static func http(_ text: [UInt8], now: TimeInterval) -> TimeInterval? {
    guard let blank = text.firstIndex(of: 0x20) else { return nil }
    var name = text[..<blank]
    let hasComma = name.last == UInt8(ascii: ",")
    if hasComma { name = name.dropLast() }
    let folded = name.map(lowercase)
    guard folded.count >= 3, weekdays.contains(where: { $0.utf8.starts(with: folded) }) else { return nil }
    for (template, comma) in templates where comma == hasComma {
      if let parts = parts(of: text[(blank + 1)...], template), let moment = moment(parts, now: now) {
        return moment
      }
    }
    return nil
  }

  private static func parts(of text: ArraySlice<UInt8>, _ template: String) -> [Character: String]? {
    guard text.count == template.utf8.count else { return nil }
    var parts: [Character: String] = [:]
    for (byte, sign) in zip(text, template) {
      if sign.isLetter {
        parts[sign, default: ""].unicodeScalars.append(Unicode.Scalar(lowercase(byte)))
      } else if sign.asciiValue != byte {
        return nil
      }
    }
    return parts
  }

  private static func moment(_ parts: [Character: String], now: TimeInterval) -> TimeInterval? {
    var numbers: [Character: Int] = [:]
    for sign in "DYhms" as String {
      guard let digits = parts[sign], digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
      numbers[sign] = Int(digits)
    }
    guard let day = numbers["D"], let year = numbers["Y"], let hour = numbers["h"], let minute = numbers["m"],
      let second = numbers["s"], let month = months.firstIndex(of: parts["M"] ?? ""), hour < 24, minute < 60,
      second <= 60, ["gmt", nil].contains(parts["Z"])
    else { return nil }
    func moment(_ year: Int) -> TimeInterval? {
      midnight(year, month, day).map { TimeInterval($0 + hour * 3600 + minute * 60 + second) }
    }
    guard parts["Y"]?.count == 2 else { return moment(year) }
    // The fuzzer's present is in the years 2000 to 2049.
    guard let found = moment(2000 + year) else { return nil }
    return found > now + 50 * 365.2425 * 86_400 ? moment(1900 + year) : found
  }

  /// Seconds since 1970; `nil` for a day that the month does not have.
  private static func midnight(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month), Int32(day))
    let seconds = timegm(&parts)
    return parts.tm_mday == Int32(day) && parts.tm_mon == Int32(month) ? seconds : nil
  }

  /// The moment of a cookie's date, by the steps of RFC 6265, section 5.1.1.
  static func cookie(_ text: [UInt8]) -> Int? {
    var clock: [Int]?
    var (day, month, year): (Int?, Int?, Int?)
    for token in text.split(whereSeparator: { !isPartOfToken($0) }) {
      if clock == nil, let found = self.clock(token) {
        clock = found
      } else if day == nil, let found = number(token, 1...2) {
        day = found
      } else if month == nil,
        let found = months.firstIndex(where: { $0.utf8.elementsEqual(token.prefix(3).map(lowercase)) })
      {
        month = found
      } else if year == nil, let found = number(token, 2...4) {
        year = found
      }
    }
    guard let clock, let day, let month, var year else { return nil }
    if (70...99).contains(year) { year += 1900 }
    if (0...69).contains(year) { year += 2000 }
    guard (1...31).contains(day), year >= 1601, clock[0] <= 23, clock[1] <= 59, clock[2] <= 59 else {
      return nil
    }
    return midnight(year, month, day).map { $0 + clock[0] * 3600 + clock[1] * 60 + clock[2] }
  }

  private static func clock(_ token: ArraySlice<UInt8>) -> [Int]? {
    var rest = token
    var numbers: [Int] = []
    while let number = take(&rest, 1...2) {
      numbers.append(number)
      if numbers.count == 3 { return numbers }
      guard rest.popFirst() == UInt8(ascii: ":") else { return nil }
    }
    return nil
  }

  private static func number(_ token: ArraySlice<UInt8>, _ counts: ClosedRange<Int>) -> Int? {
    var rest = token
    return take(&rest, counts)
  }

  /// Takes all digits; `nil` unless there are so many.
  private static func take(_ text: inout ArraySlice<UInt8>, _ counts: ClosedRange<Int>) -> Int? {
    var (number, count) = (0, 0)
    while let byte = text.first, isDigit(byte) {
      (number, count) = (number &* 10 &+ Int(byte - 0x30), count + 1)
      text = text.dropFirst()
    }
    return counts.contains(count) ? number : nil
  }

  /// The `non-delimiter` of the grammar.
  private static func isPartOfToken(_ byte: UInt8) -> Bool {
    byte <= 0x08 || (0x0A...0x1F).contains(byte) || isDigit(byte) || byte == UInt8(ascii: ":") || byte >= 0x7F
      || (0x61...0x7A).contains(lowercase(byte))
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte + 0x20 : byte }
}

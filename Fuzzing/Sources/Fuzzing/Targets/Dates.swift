// Property: a date of HTTP, and one of a cookie, is the moment that a second reader (`PlainDate`) finds in
// it, or none for both; for glibc it is the same moment, and it is read again from each of the formats.
import Foundation
@testable import NetworkCoreCurl
@testable import NetworkCoreTransport

private let now: TimeInterval = 1_800_000_000

@Sendable func testDates(_ input: FuzzInput) throws {
  let text = input.text
  let date = HTTPDate.seconds(text, now: now)
  try requireEqual(date, PlainDate.http(Array(text.utf8), now: now), text)
  if let date {
    if let other = glibcSeconds(text) { try requireEqual(date, other, "\(text) for glibc") }
    try checkFormats(Int(date))
  }
  let cookieDate = CookieDate.seconds(input.bytes)
  try requireEqual(cookieDate, PlainDate.cookie(input.bytes), "cookie: \(text)")
  if let cookieDate { try checkFormats(cookieDate) }
}

private func checkFormats(_ seconds: Int) throws {
  var (time, parts) = (seconds, tm())
  gmtime_r(&time, &parts)
  let (year, clock) = (
    Int(parts.tm_year) + 1900,
    [parts.tm_hour, parts.tm_min, parts.tm_sec].map { two(Int($0)) }.joined(separator: ":")
  )
  // The last second of the year 9999 may be a leap second.
  guard (0...9999).contains(year) else { return }
  let month = months[Int(parts.tm_mon)]
  let day = two(Int(parts.tm_mday))
  let digits = String(repeating: "0", count: 4 - "\(year)".count) + "\(year)"
  let current = "Sun, \(day) \(month) \(digits) \(clock) GMT"
  try requireEqual(HTTPDate.seconds(current, now: now), TimeInterval(seconds), current)
  let padded = parts.tm_mday < 10 ? " \(parts.tm_mday)" : day
  let asctime = "Sun \(month) \(padded) \(clock) \(digits)"
  try requireEqual(HTTPDate.seconds(asctime, now: now), TimeInterval(seconds), asctime)
  // A year of two digits belongs to the 50 years after the present, or to the 50 before.
  if (1980...2070).contains(year) {
    let obsolete = "Sunday, \(day)-\(month)-\(two(year % 100)) \(clock) GMT"
    try requireEqual(HTTPDate.seconds(obsolete, now: now), TimeInterval(seconds), obsolete)
  }
  if year >= 1601 { try requireEqual(CookieDate.seconds(Array(current.utf8)), seconds, "cookie: \(current)") }
}

/// The moment of a date in the current format; `nil` for another format.
private func glibcSeconds(_ text: String) -> TimeInterval? {
  // glibc compares the name of the day, which HTTPDate ignores, and needs no blank after its comma.
  guard let comma = text.firstIndex(of: ","), !text[..<comma].contains(" ") else { return nil }
  var parts = tm()
  let rest = String(text[comma...].dropFirst())
  guard rest.hasPrefix(" ") else { return nil }
  guard readTime(rest, " %d %b %Y %H:%M:%S", &parts) != nil else { return nil }
  return TimeInterval(timegm(&parts))
}

/// glibc's `strptime`, which the module of glibc does not declare.
private let readTime: ReadTime = {
  guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "strptime") else { preconditionFailure("no strptime") }
  return unsafeBitCast(symbol, to: ReadTime.self)
}()

private typealias ReadTime =
  @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutablePointer<tm>) -> UnsafePointer<
    CChar
  >?

private func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }

private let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

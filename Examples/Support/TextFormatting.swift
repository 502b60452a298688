import Foundation

extension String {
  /// The text cut to a number of columns, without control characters for the terminal, because servers may
  /// send any text.
  package func fitted(to columns: Int) -> String {
    let harmless = replacingControlCharacters(except: [])
    return harmless.count <= columns ? harmless : harmless.prefix(max(0, columns - 1)) + "…"
  }

  /// The text without control characters for the terminal other than tabs and the ends of lines.
  package var withoutControlCharacters: String { replacingControlCharacters(except: ["\n", "\t"]) }

  private func replacingControlCharacters(except kept: Set<Unicode.Scalar>) -> String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map {
          $0.properties.generalCategory.isVisible || kept.contains($0) ? $0 : "\u{FFFD}"
        }))
  }

  /// The text padded with spaces to a number of columns.
  package func padded(to columns: Int) -> String {
    self + String(repeating: " ", count: max(0, columns - count))
  }

  /// The text broken between words into lines of at most a number of columns.
  package func wrapped(to columns: Int) -> String {
    var lines: [Substring] = [""]
    for word in split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = word
      } else if last.count + 1 + word.count <= columns {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(word)
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension Unicode.GeneralCategory {
  fileprivate var isVisible: Bool {
    switch self {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}

extension Int {
  /// The number followed by its noun.
  package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension Int64 {
  /// The number of bytes in the largest unit that fits.
  package var inBytes: String {
    guard self >= 1000 else { return "\(self) B" }
    var (value, unit) = (Double(self) / 1000, 0)
    // The limit is not 1000, because 999.95 would be rounded up to it.
    while value >= 999.95, unit < 5 { (value, unit) = (value / 1000, unit + 1) }
    return String(format: "%.1f ", value) + ["kB", "MB", "GB", "TB", "PB", "EB"][unit]
  }
}

extension Double {
  /// The number of seconds in words.
  package var asDuration: String {
    guard self < 359_999 else { return "days" }
    let whole = Int(rounded(.up))
    if whole < 60 { return "\(whole) s" }
    let seconds = String(format: "%02d", whole % 60)
    return whole < 3600
      ? "\(whole / 60):\(seconds) min" : "\(whole / 3600):\(String(format: "%02d", whole / 60 % 60)) h"
  }
}

import Foundation

/// Rows of text in columns.
enum Table {
  static func printRow(_ name: String, _ columns: String...) {
    let rest = columns.map { String(repeating: " ", count: max(1, 14 - $0.count)) + $0 }
    Swift.print(name.padding(toLength: 24, withPad: " ", startingAt: 0) + rest.joined())
    fflush(nil)
  }
}

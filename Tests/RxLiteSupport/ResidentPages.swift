import Foundation

/// The number of resident memory pages of this process.
func residentPages() -> Int {
  let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
  return fields.count > 1 ? Int(fields[1]) ?? 0 : 0
}

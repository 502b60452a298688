import Foundation
import Measuring

// If workloads are named as arguments, only those are measured, and the stored results are not changed.
let names = CommandLine.arguments.dropFirst()
let workloads = Workloads.all.filter { names.isEmpty || names.contains($0.name) }
let report = Report(peer: "OpenCombine", workloads)
guard names.isEmpty else { exit(workloads.isEmpty ? 2 : 0) }

ReportTable.printSummary(of: report)
let results = URL(filePath: #filePath).appending(path: "../../../results").standardizedFileURL
try FileManager.default.createDirectory(at: results, withIntermediateDirectories: true)
let file = results.appending(path: "rx.json")
try report.write(to: file)
try report.chart(title: "RxLite: nanoseconds per operation, release build").svg
  .write(to: results.appending(path: "rx.svg"), atomically: true, encoding: .utf8)
print("\nwritten: \(file.path()) and rx.svg in the same folder")

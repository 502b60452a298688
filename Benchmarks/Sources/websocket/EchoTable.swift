import Foundation

/// The echoes as text; the last column compares the processor time with that of libcurl in C.
enum EchoTable {
  static func print(_ rows: [EchoFigures], _ load: EchoLoad) {
    let kind = load.compresses ? "compressed messages" : "messages"
    Swift.print("\n\(kind) of \(load.size) bytes, \(load.inFlight) at a time:")
    Table.printRow("", "messages/s", "MB/s", "CPU us", "/ libcurl in C")
    let reference = rows.first { $0.client == "libcurl in C" }
    for row in rows {
      Table.printRow(
        row.client, String(format: "%.0f", row.messagesPerSecond),
        String(format: "%.1f", row.messagesPerSecond * Double(row.size) / 1e6),
        String(format: "%.2f", row.processorTime),
        reference.map { String(format: "%.2fx", row.processorTime / $0.processorTime) } ?? "")
    }
  }
}

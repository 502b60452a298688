import Foundation

/// A bar chart of a report file, as SVG.
public enum BarChart {
  /// Draws the chart of a report.
  ///
  /// - Parameters:
  ///   - file: a report's file.
  ///   - title: what stands above the bars.
  /// - Returns: the text of an SVG file.
  /// - Throws: what reading the file or decoding it throws.
  public static func svg(ofReportAt file: URL, title: String) throws -> String {
    let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: file))
    let rows = report.typical
    let height = 72 + rows.count * rowHeight
    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" font-family="system-ui, sans-serif" \
      font-size="12" fill="#24292f">
      <rect width="\(width)" height="\(height)" fill="#ffffff"/>
      <text x="16" y="26" font-size="16" font-weight="600">\(escape(title))</text>
      \(legend(report.peer))

      """
    for (index, row) in rows.enumerated() { svg += bars(of: row, top: 64 + index * rowHeight) }
    return svg + "</svg>\n"
  }

  private static let width = 800
  private static let left = 220
  private static let rowHeight = 46
  private static let barWidth = 470.0
  private static let ours = "#1a7f37", peer = "#8c959f", rxSwift = "#d4a72c"

  private static func legend(_ peerName: String) -> String {
    [("RxLite", ours), (peerName, peer), ("RxSwift 6, estimated", rxSwift)].enumerated().map { index, entry in
      let x = left + index * 150
      return "<rect x=\"\(x)\" y=\"38\" width=\"10\" height=\"10\" fill=\"\(entry.1)\"/>"
        + "<text x=\"\(x + 15)\" y=\"47\">\(escape(entry.0))</text>"
    }.joined(separator: "\n")
  }

  /// The bars of one workload share a scale: what counts is how they compare.
  private static func bars(of row: Measurement, top: Int) -> String {
    let values = [
      (row.cost.nanoseconds, ours, ""),
      (row.peer?.nanoseconds ?? 0, peer, row.peerRatio.map { ", \($0.times)" } ?? ""),
      (row.rxSwiftEstimate ?? 0, rxSwift, row.rxSwiftRatio.map { ", \($0.times)" } ?? ""),
    ].filter { $0.0 > 0 }
    let scale = barWidth / (values.map(\.0).max() ?? 1)
    var svg =
      "<text x=\"\(left - 10)\" y=\"\(top + 12)\" text-anchor=\"end\">\(escape(row.workload))</text>\n"
    for (index, (value, color, note)) in values.enumerated() {
      let y = top + 2 + index * 13
      let length = max(1, value * scale)
      svg += """
        <rect x="\(left)" y="\(y)" width="\(String(format: "%.1f", length))" height="11" fill="\(color)"/>
        <text x="\(String(format: "%.1f", Double(left) + length + 5))" y="\(y + 10)" font-size="10">\
        \(value.short) ns\(note)</text>

        """
    }
    return svg
  }

  private static func escape(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
  }
}

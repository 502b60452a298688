import Foundation

/// A bar chart of what a report file compares, as SVG.
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
    let rows = report.typical.map { (name: $0.workload, bars: bars(of: $0)) }.filter { $0.bars.count > 1 }
    let height = rows.reduce(68) { $0 + rowHeight($1.bars) }
    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" font-family="system-ui, sans-serif" \
      font-size="12" fill="#24292f">
      <rect width="\(width)" height="\(height)" fill="#ffffff"/>
      <text x="16" y="26" font-size="16" font-weight="600">\(escape(title))</text>
      \(legend(report.peer))

      """
    var top = 64
    for row in rows {
      svg += draw(row.bars, of: row.name, top: top)
      top += rowHeight(row.bars)
    }
    return svg + "</svg>\n"
  }

  private static let width = 800
  private static let left = 250
  private static let barWidth = 440.0
  private static let barHeight = 13
  private static let ours = "#1a7f37", peer = "#8c959f", rxSwift = "#d4a72c"

  private static func legend(_ peerName: String) -> String {
    [("RxLite", ours), (peerName, peer), ("RxSwift 6, estimated", rxSwift)].enumerated().map { index, entry in
      let x = left + index * 150
      return "<rect x=\"\(x)\" y=\"38\" width=\"10\" height=\"10\" fill=\"\(entry.1)\"/>"
        + "<text x=\"\(x + 15)\" y=\"47\">\(escape(entry.0))</text>"
    }.joined(separator: "\n")
  }

  private struct Bar {
    let nanoseconds: Double
    let color: String
    let ratio: Double?
  }

  private static func bars(of row: Measurement) -> [Bar] {
    [
      Bar(nanoseconds: row.cost.nanoseconds, color: ours, ratio: nil),
      row.peer.map { Bar(nanoseconds: $0.nanoseconds, color: peer, ratio: row.peerRatio) },
      row.rxSwiftEstimate.map { Bar(nanoseconds: $0, color: rxSwift, ratio: row.rxSwiftRatio) },
    ].compactMap { $0 }
  }

  private static func rowHeight(_ bars: [Bar]) -> Int {
    bars.count * barHeight + 10
  }

  /// The bars of one workload share a scale: what counts is how they compare.
  private static func draw(_ bars: [Bar], of workload: String, top: Int) -> String {
    let scale = barWidth / (bars.map(\.nanoseconds).max() ?? 1)
    let middle = top + bars.count * barHeight / 2 + 4
    var svg = "<text x=\"\(left - 10)\" y=\"\(middle)\" text-anchor=\"end\">\(escape(workload))</text>\n"
    for (index, bar) in bars.enumerated() {
      let y = top + index * barHeight
      let length = max(1, bar.nanoseconds * scale)
      let note = bar.ratio.map { ", \($0.times)" } ?? ""
      svg += """
        <rect x="\(left)" y="\(y)" width="\(String(format: "%.1f", length))" height="11" fill="\(bar.color)"/>
        <text x="\(String(format: "%.1f", Double(left) + length + 5))" y="\(y + 10)" font-size="10">\
        \(bar.nanoseconds.short) ns\(note)</text>

        """
    }
    return svg
  }

  private static func escape(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
  }
}

import Foundation

/// A chart of horizontal bars in groups, as SVG for light and dark pages.
public struct BarChart {
  /// The series of a bar, which determines its colour and has an entry in the legend.
  public struct Series {
    let name: String
    let color: String

    /// Creates a series with a name and a colour in SVG's syntax.
    public init(_ name: String, color: String) {
      self.name = name
      self.color = color
    }

    /// Returns the series of this library, which has the same colour in every chart.
    public static func ours(_ name: String) -> Series { Series(name, color: "#1a7f37") }
  }

  /// A bar.
  public struct Bar {
    let series: Series
    let value: Double
    let label: String

    /// Creates a bar whose length is a value, with a label at its end.
    public init(_ series: Series, _ value: Double, label: String) {
      self.series = series
      self.value = value
      self.label = label
    }
  }

  /// A group of bars that are compared and share a scale.
  public struct Group {
    let name: String
    let bars: [Bar]

    /// Creates a group of bars with a name.
    public init(_ name: String, _ bars: [Bar]) {
      self.name = name
      self.bars = bars
    }
  }

  private let title: String
  private let legend: [Series]
  private let groups: [Group]

  /// Creates a chart of groups, from top to bottom.
  public init(title: String, legend: [Series], _ groups: [Group]) {
    self.title = title
    self.legend = legend
    self.groups = groups
  }

  /// The chart as the text of an SVG file.
  public var svg: String {
    let height = groups.reduce(68) { $0 + $1.height }
    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" font-family="system-ui, sans-serif" \
      font-size="12" role="img">
      <title>\(escape(title))</title>
      <style>
      text { fill: #24292f }
      .page { fill: #ffffff }
      @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .page { fill: #0d1117 } }
      </style>
      <rect class="page" width="\(Self.width)" height="\(height)"/>
      <text x="16" y="26" font-size="16" font-weight="600">\(escape(title))</text>

      """
    for (index, series) in legend.enumerated() {
      let x = Self.left + index * 150
      svg += "<rect x=\"\(x)\" y=\"38\" width=\"10\" height=\"10\" fill=\"\(series.color)\"/>"
      svg += "<text x=\"\(x + 15)\" y=\"47\">\(escape(series.name))</text>\n"
    }
    var top = 64
    for group in groups {
      svg += group.svg(top: top)
      top += group.height
    }
    return svg + "</svg>\n"
  }

  fileprivate static let width = 800
  fileprivate static let left = 250
  fileprivate static let barWidth = 440.0
  fileprivate static let barHeight = 13
}

extension BarChart.Group {
  fileprivate var height: Int { bars.count * BarChart.barHeight + 10 }

  fileprivate func svg(top: Int) -> String {
    let left = BarChart.left
    let scale = BarChart.barWidth / (bars.map(\.value).max() ?? 1)
    let middle = top + bars.count * BarChart.barHeight / 2 + 4
    var svg = "<text x=\"\(left - 10)\" y=\"\(middle)\" text-anchor=\"end\">\(escape(name))</text>\n"
    for (index, bar) in bars.enumerated() {
      let y = top + index * BarChart.barHeight
      let length = max(1, bar.value * scale)
      svg += """
        <rect x="\(left)" y="\(y)" width="\(String(format: "%.1f", length))" height="11" fill="\(bar.series.color)"/>
        <text x="\(String(format: "%.1f", Double(left) + length + 5))" y="\(y + 10)" font-size="10">\
        \(escape(bar.label))</text>

        """
    }
    return svg
  }
}

private func escape(_ text: String) -> String {
  text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
}

import Foundation

/// A chart of horizontal bars in groups, as SVG for light and dark pages, with its figures for screen readers.
public struct BarChart {
  /// The series of a bar, which determines its colour and has an entry in the legend.
  public struct Series {
    let name: String
    let color: Color

    /// The colour of a series, which is legible on light and on dark pages.
    public enum Color: String, CaseIterable {
      /// For this library.
      case green
      /// For the library that it is compared with first.
      case grey
      /// For another one.
      case yellow

      var rules: (light: String, dark: String) {
        switch self {
        case .green: ("#1a7f37", "#3fb950")
        case .grey: ("#6e7781", "#8c959f")
        case .yellow: ("#9a6700", "#d4a72c")
        }
      }
    }

    /// Creates a series with a name and a colour.
    public init(_ name: String, color: Color) {
      self.name = name
      self.color = color
    }

    /// Returns the series of this library, which has the same colour in every chart.
    public static func ours(_ name: String) -> Series { Series(name, color: .green) }
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
      font-size="12" role="img" aria-labelledby="title description">
      <title id="title">\(escape(title))</title>
      <desc id="description">\(escape(description))</desc>
      <style>
      text { fill: #24292f }
      .page { fill: #ffffff }
      \(Series.Color.allCases.map { ".\($0) { fill: \($0.rules.light) }" }.joined(separator: "\n"))
      @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .page { fill: #0d1117 }
      \(Series.Color.allCases.map { ".\($0) { fill: \($0.rules.dark) }" }.joined(separator: "\n"))
      }
      </style>
      <rect class="page" width="\(Self.width)" height="\(height)"/>
      <text x="16" y="26" font-size="16" font-weight="600">\(escape(title))</text>

      """
    for (index, series) in legend.enumerated() {
      let x = 16 + index * 150
      svg += "<rect class=\"\(series.color)\" x=\"\(x)\" y=\"38\" width=\"10\" height=\"10\"/>"
      svg += "<text x=\"\(x + 15)\" y=\"47\">\(escape(series.name))</text>\n"
    }
    var top = 64
    for group in groups {
      svg += group.svg(top: top)
      top += group.height
    }
    return svg + "</svg>\n"
  }

  /// The figures, as a sentence for each group.
  private var description: String {
    groups.map { group in
      let figures = group.bars.map { "\($0.series.name) \($0.label)" }
      return "\(group.name): \(figures.joined(separator: "; "))."
    }
    .joined(separator: " ")
  }

  // The width at which the text is legible in a column of 600 pixels.
  fileprivate static let width = 640
  fileprivate static let left = 225
  fileprivate static let barWidth = 305.0
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
        <rect class="\(bar.series.color)" x="\(left)" y="\(y)" width="\(String(format: "%.1f", length))" height="11"/>
        <text x="\(String(format: "%.1f", Double(left) + length + 5))" y="\(y + 10)" font-size="11">\
        \(escape(bar.label))</text>

        """
    }
    return svg
  }
}

private func escape(_ text: String) -> String {
  text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
}

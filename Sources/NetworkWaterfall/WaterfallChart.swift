import Foundation
import NetworkCore

/// A waterfall of requests as an SVG picture: a row for each request, by host, on one time axis.
struct WaterfallChart {
  /// A labelled line at a time.
  struct Mark: Sendable {
    let label: String
    let time: ContinuousClock.Instant
  }

  /// The requests to one host.
  private struct Group {
    let host: String
    var records: [RequestRecord] = []
  }

  // A page of 600 points shows the smallest text at 10.
  private static let (width, left, right) = (720.0, 20.0, 150.0)
  private static let (margin, row, header, top) = (20.0, 34.0, 30.0, 122.0)
  private static let (barHeight, nameHeight, labelHeight, letter) = (12.0, 14.0, 15.0, 7.2)
  private static let lanes = 3

  private let title: String
  private let groups: [Group]
  private let marks: [Mark]
  private let omittedCount: Int
  private let start: ContinuousClock.Instant
  private let duration: Double
  /// The lane of each mark's label, from the top; `nil` if there is no room for it.
  private let labels: [Int?]
  /// The vertical position of the row of each request.
  private let rows: [RequestID: Double]
  private let bottom: Double

  init(title: String, records: [RequestRecord], marks: [Mark], omittedCount: Int) {
    self.title = title
    self.marks = marks
    self.omittedCount = omittedCount
    var groups: [Group] = []
    for record in records {
      let host = record.host
      let index = groups.firstIndex { $0.host == host } ?? groups.count
      if index == groups.count { groups.append(Group(host: host)) }
      groups[index].records.append(record)
    }
    self.groups = groups
    let times = records.flatMap { [$0.start, $0.latest] } + marks.map(\.time)
    start = times.min() ?? .now
    let seconds = ((times.max() ?? start) - start) / .seconds(1)
    duration = max(seconds, 0.001)
    labels = Self.lanes(of: marks, start: start, scale: Self.chart / duration)
    var y = Self.top + 12 + Double(Set(labels.compactMap { $0 }).count) * Self.labelHeight
    var rows: [RequestID: Double] = [:]
    for group in groups {
      y += Self.header
      for record in group.records {
        rows[record.id] = y
        y += Self.row
      }
    }
    self.rows = rows
    bottom = y + 6
  }

  private static var chart: Double { width - left - right }

  /// Places labels in lanes so that they do not overlap.
  private static func lanes(of marks: [Mark], start: ContinuousClock.Instant, scale: Double) -> [Int?] {
    var ends = [Double](repeating: -.infinity, count: lanes)
    return marks.map { mark in
      let (_, span) = place(of: mark.label, at: left + (mark.time - start) / .seconds(1) * scale)
      guard let lane = ends.firstIndex(where: { $0 <= span.lowerBound }) else { return nil }
      ends[lane] = span.upperBound + 8
      return lane
    }
  }

  /// Returns where the label of a mark is: near the right edge before its line, otherwise after it.
  private static func place(
    of label: String, at x: Double
  ) -> (isBefore: Bool, span: ClosedRange<Double>) {
    let width = Double(label.fitted(to: 40).count) * letter
    let isBefore = x + 4 + width > Self.width - margin
    return (isBefore, isBefore ? x - 4 - width...x : x...x + 4 + width)
  }

  private func x(_ time: ContinuousClock.Instant) -> Double {
    Self.left + (time - start) / .seconds(1) / duration * Self.chart
  }

  /// The document.
  var svg: String {
    let height = bottom + 40
    let parts = legend + grid + markLines + groups.flatMap(draw) + links
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width.px) \(height.px)" \
      width="\(Self.width.px)" height="\(height.px)" role="img" aria-labelledby="title description">
      <title id="title">\(title.xml)</title>
      <desc id="description">\(accessibilityText.xml)</desc>
      <style>
      \(Self.style)
      </style>
      <defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" \
      patternTransform="rotate(45)"><rect width="6" height="6" class="tint"/>\
      <rect width="2.5" height="6" class="stripe"/></pattern></defs>
      <rect x="0.5" y="0.5" width="\((Self.width - 1).px)" height="\((height - 1).px)" rx="8" class="sheet"/>
      <text x="\(Self.margin.px)" y="34" class="title">\(title.fitted(to: 70).xml)</text>
      <text x="\(Self.margin.px)" y="55" class="note">\(summary.xml)</text>
      \(parts.joined(separator: "\n"))
      </svg>

      """
  }
}

// The texts.
extension WaterfallChart {
  private var records: [RequestRecord] { groups.flatMap(\.records) }

  /// A summary of the picture, in one line.
  private var summary: String {
    let records = records
    let counts = [
      (records.count, "request"), (records.count { $0.ending == .answered }, "answered"),
      (records.count { $0.ending == .failed }, "failed"),
      (records.count { $0.ending == .cancelled }, "cancelled"),
      (records.count { $0.ending == .open }, "in flight"),
      (records.reduce(0) { $0 + $1.retryCount }, "sent again"),
      (records.reduce(0) { $0 + $1.redirectCount }, "redirected"),
      (records.count { $0.isHedge }, "hedged"),
    ]
    let words = counts.enumerated().filter { $0.offset == 0 || $0.element.0 > 0 }.map { index, item in
      index == 0 ? "\(item.0) request\(item.0 == 1 ? "" : "s")" : "\(item.0) \(item.1)"
    }
    let omitted = omittedCount > 0 ? "; \(omittedCount) older ones are not shown" : ""
    return words.joined(separator: ", ") + " in \(duration.time)" + omitted
  }

  /// The contents as text, for screen readers.
  private var accessibilityText: String {
    let requests = records.prefix(50).map { record in
      "\(record.title) to \(record.host) at \(((record.start - start) / .seconds(1)).time): \(record.resultText)"
    }
    return ([summary] + requests).joined(separator: ". ") + "."
  }
}

// The frame.
extension WaterfallChart {
  /// The phases, and below them what else a row may show.
  private var legend: [String] {
    var (x, y) = (Self.margin, 72.0)
    var parts: [String] = []
    func add(_ word: String, width: Double = 14, _ drawing: (Double) -> String) {
      parts.append(
        drawing(x) + #"<text class="legend" x="\#((x + width + 6).px)" y="\#((y + 10).px)">\#(word)</text>"#)
      x += width + 18 + Double(word.count) * 7
    }
    for phase in RequestRecord.Phase.allCases {
      add(phase.legendName) { Self.block(phase.rawValue, x: $0, y: y, width: 14, height: 11) }
    }
    (x, y) = (Self.margin, 94)
    let middle = y + 5.5
    add("cancelled", width: 20) { x in
      #"<rect class="cut" x="\#(x.px)" y="\#(y.px)" width="16" height="11"/>"# + Self.cross(x + 16, middle)
    }
    add("failed", width: 10) { Self.cross($0 + 5, middle, "failure") }
    add("redirect", width: 10) { Self.diamond($0 + 5, middle, "redirect") }
    add("retry", width: 10) { Self.diamond($0 + 5, middle, "retry") }
    return parts
  }

  private var grid: [String] {
    let steps = [0.000_1, 0.000_2, 0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
    let longer = [10.0, 20, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400]
    let step = (steps + longer).first { $0 / duration * Self.chart >= 70 } ?? duration
    return stride(from: 0, through: duration * 1.000_01, by: step).map { time in
      let x = Self.left + time / duration * Self.chart
      return """
        <path class="grid" d="M\(x.px) \(Self.top.px)V\(bottom.px)"/>\
        <text class="tick" x="\(x.px)" y="\((bottom + 18).px)">\(time.time(step: step))</text>
        """
    }
  }

  private var markLines: [String] {
    zip(marks, labels).map { mark, lane in
      let x = x(mark.time)
      let label = mark.label.fitted(to: 40).xml
      let y = Self.top + 12 + Double(lane ?? 0) * Self.labelHeight
      let (isBefore, _) = Self.place(of: mark.label, at: x)
      let text =
        lane == nil
        ? ""
        : #"<text class="mark\#(isBefore ? " before" : "")" x="\#((x + (isBefore ? -4 : 4)).px)" y="\#(y.px)">\#(label)</text>"#
      return """
        <g><title>\(label)</title><path class="mark" d="M\(x.px) \(Self.top.px)V\(bottom.px)"/>\(text)</g>
        """
    }
  }

  /// Lines from a hedge or an operator's retry to the request that it repeats.
  private var links: [String] {
    records.compactMap { record in
      guard let original = record.original, let from = rows[original], let to = rows[record.id] else {
        return nil
      }
      let x = x(record.start)
      let (up, down) = (from + Self.row / 2, to + Self.row / 2)
      return """
        <path class="link" d="M\(x.px) \(up.px)V\(down.px)"/>\
        <circle class="joint" cx="\(x.px)" cy="\(up.px)" r="2.5"/>
        """
    }
  }
}

// The rows.
extension WaterfallChart {
  private func draw(_ group: Group) -> [String] {
    guard let first = group.records.first, let y = rows[first.id] else { return [] }
    let heading = """
      <path class="rule" d="M\(Self.margin.px) \((y - 3).px)H\((Self.width - Self.margin).px)"/>\
      <text class="host" x="\(Self.margin.px)" y="\((y - 9).px)">\(group.host.fitted(to: 60).xml)</text>
      """
    return [heading] + group.records.map(draw)
  }

  private func draw(_ record: RequestRecord) -> String {
    let row = rows[record.id] ?? 0
    let top = row + Self.nameHeight + 3
    let middle = top + Self.barHeight / 2
    let end = x(record.latest)
    var parts = record.spans.map { span in
      let x = x(span.start)
      return Self.block(
        span.phase.rawValue, x: x, y: top, width: max(self.x(span.end) - x, 0.5), height: Self.barHeight)
    }
    let begin = x(record.start)
    // A request without measurable phases, such as a stub's, has a bar all the same.
    if end - begin < 2 {
      parts.append(Self.block("wait", x: begin, y: top, width: 2, height: Self.barHeight))
    }
    switch record.ending {
    case .cancelled:
      parts.append(
        #"<rect class="cut" x="\#(begin.px)" y="\#(top.px)" width="\#(max(end - begin, 2).px)" height="\#(Self.barHeight.px)"/>"#
      )
      parts.append(Self.cross(end, middle))
    case .failed: parts.append(Self.cross(end, middle, "failure"))
    case .open: parts.append(#"<path class="more" d="M\#((end + 3).px) \#(middle.px)h10"/>"#)
    case .answered: break
    }
    for repetition in record.repetitions {
      parts.append(
        Self.diamond(x(repetition.time), middle, repetition.redirectStatus == nil ? "retry" : "redirect"))
    }
    let note = record.isHedge ? "hedge " : record.original == nil ? "" : "retry "
    let name = (note + record.title).fitted(to: 80)
    let offset = record.ending == .answered ? 6.0 : record.ending == .open ? 18 : 12
    return """
      <g class="request \(record.ending.rawValue)"><title>\(record.tooltip(since: start).xml)</title>\
      <rect class="row" x="\(Self.margin.px)" y="\(row.px)" width="\((Self.width - 2 * Self.margin).px)" \
      height="\(Self.row.px)"/>\
      <text class="name" x="\(Self.margin.px)" y="\((row + Self.nameHeight - 2).px)">\(name.xml)</text>\
      \(parts.joined())<text class="result" x="\((end + offset).px)" y="\((middle + 4).px)">\(record.resultText.fitted(to: 24).xml)</text></g>
      """
  }

  private static func block(
    _ name: String, x: Double, y: Double, width: Double, height: Double
  ) -> String {
    // Waiting is drawn thinner than work.
    let inset = name == "queue" ? 4.0 : name == "backoff" ? 5 : 0
    return
      #"<rect class="\#(name)" x="\#(x.px)" y="\#((y + inset).px)" width="\#(width.px)" height="\#((height - 2 * inset).px)"/>"#
  }

  private static func cross(_ x: Double, _ y: Double, _ name: String = "cross") -> String {
    #"<path class="\#(name)" d="M\#((x - 4).px) \#((y - 4).px)l8 8m0 -8l-8 8"/>"#
  }

  private static func diamond(_ x: Double, _ y: Double, _ name: String) -> String {
    #"<path class="\#(name)" d="M\#(x.px) \#((y - 6).px)l4.5 6l-4.5 6l-4.5 -6z"/>"#
  }
}

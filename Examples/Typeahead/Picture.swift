import ExampleSupport
import Foundation

/// A timeline as an SVG picture: from top to bottom the keystrokes, a bar for each request, the rendered
/// outcomes, and the time axis.
struct Picture {
  private static let (left, right, top) = (116.0, 24.0, 84.0)
  private static let rowHeight = 30.0
  private static let keyWidth = 14.0

  private let timeline: Timeline
  /// Pixels per second: as many as fit, but enough that keys do not overlap.
  private let scale: Double
  private let width: Double

  init(of timeline: Timeline) {
    self.timeline = timeline
    let duration = max(timeline.end, 0.1)
    scale = min(600, max(120, 770 / duration))
    width = (Self.left + max(duration * scale, 600) + Self.right).rounded(.up)
  }

  /// The picture as SVG, in the colours of the reader's light or dark display.
  var svg: String {
    let title = Self.escaped(
      "\(timeline.keys.count.counted("keystroke")), \(timeline.searches.count.counted("request")): "
        + "\(timeline.count(.cancelled)) taken off the wire, \(timeline.count(.answered)) answered")
    let height = (axis + 36).rounded(.up)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width.px) \(height.px)" \
      width="\(width.px)" height="\(height.px)" role="img" aria-labelledby="title description">
      <title id="title">\(title)</title>
      <desc id="description">\(Self.escaped(timeline.story))</desc>
      <style>
      \(Self.style)
      </style>
      <defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
      <rect width="6" height="6" class="tint"/><rect width="2" height="6" class="stripe"/></pattern></defs>
      <rect x="0.5" y="0.5" width="\((width - 1).px)" height="\((height - 1).px)" rx="8" class="sheet"/>
      <text x="24" y="34" class="title">\(title)</text>
      <text x="24" y="54" class="note">A text that rests is searched for; \
      the next search cancels the one before, and its connection is closed.</text>
      \((grid + gutter + links + keys + bars + renderings).joined(separator: "\n"))
      </svg>

      """
  }

  // The baselines of the parts, from top to bottom.
  private var firstRow: Double { Self.top + 44 }
  private var rendered: Double { firstRow + Double(timeline.searches.count) * Self.rowHeight + 14 }
  private var axis: Double { rendered + 28 }

  private func x(_ time: Double) -> Double { Self.left + time * scale }
  private func y(_ row: Int) -> Double { firstRow + (Double(row) + 0.5) * Self.rowHeight }

  private var grid: [String] {
    let step = [0.1, 0.25, 0.5, 1, 2, 5, 10].first { $0 * scale >= 90 } ?? 10
    return stride(from: 0, through: (width - Self.right - Self.left) / scale, by: step).map { time in
      """
      <path class="grid" d="M\(x(time).px) \((Self.top - 12).px)V\(axis.px)"/>\
      <text class="tick" x="\(x(time).px)" y="\((axis + 18).px)">\(String(format: "%g", time)) s</text>
      """
    }
  }

  private var gutter: [String] {
    [("keystrokes", Self.top + 10), ("requests", y(0)), ("rendered", rendered)].map { name, y in
      #"<text class="gutter" x="24" y="\#((y + 4).px)">\#(name)</text>"#
    }
  }

  /// Lines from each key to the request for its text, and from there down to the rendered outcome.
  private var links: [String] {
    timeline.searches.enumerated().map { row, search in
      let (typed, sent) = (x(search.typed).px, x(search.sent).px)
      let key = #"<path class="rest" d="M\#(typed) \#((Self.top + 22).px)V\#(y(row).px)H\#(sent)"/>"#
      guard let end = search.end, end.how != .cancelled else { return key }
      return key
        + #"<path class="down \#(end.how.name)" d="M\#(x(end.time).px) \#(y(row).px)V\#(rendered.px)"/>"#
    }
  }

  private var keys: [String] {
    timeline.keys.map { key in
      """
      <rect class="key" x="\((x(key.time) - Self.keyWidth / 2).px)" y="\(Self.top.px)" \
      width="\(Self.keyWidth.px)" height="22" rx="3"/>\
      <text class="cap" x="\(x(key.time).px)" y="\((Self.top + 15).px)">\(Self.escaped(key.label))</text>
      """
    }
  }

  private var bars: [String] {
    timeline.searches.enumerated().map { row, search in
      let (start, end) = (x(search.sent), x(search.end?.time ?? timeline.end))
      let name = search.end?.how.name ?? "open"
      return """
        <g><title>\(Self.escaped(search.story))</title>\
        <rect class="bar \(name)" x="\(start.px)" y="\((y(row) - 7).px)" \
        width="\(max(2, end - start).px)" height="14" rx="3"/>\(mark(search, at: end, y(row)))\
        \(label(search, from: x(search.typed), to: end, y(row) + 4))</g>
        """
    }
  }

  /// Draws a cross where a request left the wire, a dot where it was answered.
  private func mark(_ search: Timeline.Search, at x: Double, _ y: Double) -> String {
    guard let how = search.end?.how else { return "" }
    let disc = #"<circle class="\#(how.name) disc" cx="\#(x.px)" cy="\#(y.px)" r="9"/>"#
    let sign =
      how == .answered
      ? "M\((x - 4).px) \((y + 0.5).px)l3 3l5 -6.5"
      : "M\((x - 3.5).px) \((y - 3.5).px)l7 7m0 -7l-7 7"
    return disc + #"<path class="sign" d="\#(sign)"/>"#
  }

  /// Draws the text after the bar or, if the picture ends there, before it.
  private func label(_ search: Timeline.Search, from left: Double, to right: Double, _ y: Double) -> String {
    let query = search.query.fitted(to: 40)
    let fits = right + 20 + 7.2 * Double(query.count + search.fate.count) < width - Self.right
    return text(
      "<tspan class=\"query\">\(Self.escaped(query))</tspan> \(Self.escaped(search.fate))",
      at: fits ? right + 16 : left - 10, y, isBefore: !fits)
  }

  private var renderings: [String] {
    timeline.renderings.map { rendering in
      let at = x(rendering.time)
      let words = rendering.text.fitted(to: 60)
      let fits = at + 20 + 7 * Double(words.count) < width - Self.right
      return """
        <path class="\(rendering.isFailure ? "failed" : "shown")" \
        d="M\(at.px) \((rendered - 8).px)l8 8l-8 8l-8 -8z"/>\
        \(text(Self.escaped(words), at: fits ? at + 14 : at - 14, rendered + 4, isBefore: !fits))
        """
    }
  }

  private func text(_ text: String, at x: Double, _ y: Double, isBefore: Bool) -> String {
    #"<text x="\#(x.px)" y="\#(y.px)"\#(isBefore ? #" class="before""# : "")>\#(text)</text>"#
  }

  /// Escapes text for XML and removes what XML does not allow, because users and servers may send any text.
  private static func escaped(_ text: String) -> String {
    text.fitted(to: .max).unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Double {
  /// The number as a coordinate.
  fileprivate var px: String {
    let tenths = (self * 10).rounded() / 10
    return tenths == tenths.rounded() ? String(Int(tenths)) : String(tenths)
  }
}

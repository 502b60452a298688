import Foundation

extension WaterfallChart {
  /// The colours for a light or dark display.
  private struct Palette {
    var sheet, frame, grid, row, text, quiet, queue, name, connect, secure, send, wait, receive: String
    var alarm, tint, mark: String

    static let light = Palette(
      sheet: "#ffffff", frame: "#d0d7de", grid: "#e6eaef", row: "#f6f8fa", text: "#1f2328", quiet: "#59636e",
      queue: "#b1bac4", name: "#0e8a8a", connect: "#e08600", secure: "#9a4fd0", send: "#7aa7f0",
      wait: "#3fa45b", receive: "#2f6fde", alarm: "#cf222e", tint: "#ffebe9", mark: "#8250df")
    static let dark = Palette(
      sheet: "#0d1117", frame: "#30363d", grid: "#21262d", row: "#161b22", text: "#f0f6fc", quiet: "#9198a1",
      queue: "#57606a", name: "#2fb3b3", connect: "#e0932f", secure: "#b77ce8", send: "#5c83c4",
      wait: "#3fb950", receive: "#4a8df5", alarm: "#f85149", tint: "#3c1618", mark: "#ab7df8")

    var rules: String {
      """
      .sheet { fill: \(sheet); stroke: \(frame) }
      .grid { stroke: \(grid) }
      .rule { stroke: \(frame) }
      .request:hover .row { fill: \(row) }
      text { fill: \(quiet); stroke: \(sheet) }
      .title, .host, .name { fill: \(text) }
      .queue, .backoff { fill: \(queue) }
      .nameLookup { fill: \(name) }
      .connect { fill: \(connect) }
      .secureConnect { fill: \(secure) }
      .send { fill: \(send) }
      .wait { fill: \(wait) }
      .receive { fill: \(receive) }
      .cross, .failure { stroke: \(alarm) }
      .cut { stroke: \(alarm) }
      .stripe { fill: \(alarm) }
      .tint { fill: \(tint) }
      .failed .result, .cancelled .result { fill: \(alarm) }
      .redirect { fill: \(sheet); stroke: \(text) }
      .retry { fill: \(alarm); stroke: \(sheet) }
      .more { stroke: \(quiet) }
      path.mark, .link { stroke: \(mark) }
      text.mark, .joint { fill: \(mark) }
      """
    }
  }

  static let style = """
    text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; \
    paint-order: stroke; stroke-width: 3px; stroke-linejoin: round }
    .title { font-size: 18px; font-weight: 600 }
    .host { font-weight: 600 }
    .name { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 12px }
    .result, .tick, text.mark { font-size: 12px }
    .tick { text-anchor: middle }
    .before { text-anchor: end }
    .row { fill: none; pointer-events: all }
    .backoff { fill-opacity: 0.6 }
    .cut { fill: url(#hatch); fill-opacity: 0.55; stroke-width: 1 }
    .stripe { fill-opacity: 0.5 }
    .cross, .failure { fill: none; stroke-width: 2.2; stroke-linecap: round }
    .redirect, .retry { stroke-width: 1.2 }
    .more { fill: none; stroke-width: 2; stroke-dasharray: 2 3 }
    path.mark { fill: none; stroke-dasharray: 3 3; stroke-opacity: 0.7 }
    .link { fill: none; stroke-width: 1.4 }
    \(Palette.light.rules)
    @media (prefers-color-scheme: dark) {
    \(Palette.dark.rules)
    }
    """
}

extension Double {
  /// The number as a coordinate.
  var px: String {
    guard isFinite else { return "0" }
    let hundredths = (self * 100).rounded() / 100
    return hundredths == hundredths.rounded() ? String(Int(hundredths)) : String(hundredths)
  }

  /// A time in seconds as text with its unit, rounded to about three digits.
  var time: String {
    switch self {
    case ..<0.001: "\(Int((self * 1_000_000).rounded())) µs"
    case ..<0.01: String(format: "%.1f ms", self * 1_000)
    case ..<1: "\(Int((self * 1_000).rounded())) ms"
    case ..<100: String(format: "%.2f s", self)
    // Not through an Int, which cannot hold the time of a very distant mark.
    default: String(format: "%.0f s", rounded())
    }
  }

  /// Seconds on an axis whose ticks are `step` seconds apart.
  func time(step: Double) -> String {
    let (factor, unit) = step < 0.001 ? (1_000_000.0, "µs") : step < 0.5 ? (1_000, "ms") : (1, "s")
    return "\(String(format: "%g", (self * factor * 10).rounded() / 10)) \(unit)"
  }
}

extension String {
  /// The text, shortened to `count` characters with an ellipsis at the end if it is longer.
  func fitted(to count: Int) -> String { self.count > count ? prefix(count - 1) + "…" : self }

  /// The text for XML: escaped, and without the characters that XML does not allow.
  var xml: String {
    unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "\n"
      case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      case "\u{0}"..<" ", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
        result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}

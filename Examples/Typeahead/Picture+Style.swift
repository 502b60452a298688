extension Picture {
  /// The colours for a light or dark display.
  private struct Palette {
    var sheet, frame, grid, text, quiet, key, frameOfKey: String
    var cancelled, tint, answered, failed, shown, sign: String

    static let light = Palette(
      sheet: "#ffffff", frame: "#d0d7de", grid: "#eaeef2", text: "#1f2328", quiet: "#59636e", key: "#f6f8fa",
      frameOfKey: "#b1bac4", cancelled: "#cf222e", tint: "#ffebe9", answered: "#1a7f37", failed: "#9a6700",
      shown: "#0969da", sign: "#ffffff")
    static let dark = Palette(
      sheet: "#0d1117", frame: "#30363d", grid: "#21262d", text: "#f0f6fc", quiet: "#9198a1", key: "#21262d",
      frameOfKey: "#656c76", cancelled: "#f85149", tint: "#3c1618", answered: "#3fb950", failed: "#d29922",
      shown: "#4493f8", sign: "#0d1117")

    var rules: String {
      """
      .sheet { fill: \(sheet); stroke: \(frame) }
      .grid { stroke: \(grid) }
      text { fill: \(quiet); stroke: \(sheet) }
      .title, .query, .cap { fill: \(text) }
      .key { fill: \(key); stroke: \(frameOfKey) }
      .rest, .bar.open { stroke: \(quiet) }
      .cancelled { stroke: \(cancelled) }
      .tint { fill: \(tint) }
      .stripe, .cancelled.disc { fill: \(cancelled) }
      .answered { fill: \(answered); stroke: \(answered) }
      .failed { fill: \(failed); stroke: \(failed) }
      .shown { fill: \(shown) }
      .sign { stroke: \(sign) }
      """
    }
  }

  static let style = """
    text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; \
    paint-order: stroke; stroke-width: 4px; stroke-linejoin: round }
    .title { font-size: 17px; font-weight: 600 }
    .query, .cap { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace }
    .query { font-weight: 600 }
    .cap { font-size: 12px; text-anchor: middle; stroke: none !important }
    .tick { font-size: 12px; text-anchor: middle }
    .before { text-anchor: end }
    .rest, .down, .sign { fill: none !important }
    .rest { stroke-dasharray: 1 3; stroke-linecap: round }
    .down { stroke-width: 1.5; stroke-opacity: 0.5 }
    .sign { stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }
    .bar.cancelled { fill: url(#hatch) }
    .bar.open { fill: none }
    .stripe { fill-opacity: 0.35 }
    \(Palette.light.rules)
    @media (prefers-color-scheme: dark) {
    \(Palette.dark.rules)
    }
    """
}

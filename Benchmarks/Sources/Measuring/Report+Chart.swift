extension Report {
  /// Returns the chart of the comparisons in the report.
  public func chart(title: String) -> BarChart {
    let ours = BarChart.Series.ours("RxLite")
    let peer = BarChart.Series(peer, color: .grey)
    let rxSwift = BarChart.Series("RxSwift 6, estimated", color: .yellow)
    let groups = typical.compactMap { row -> BarChart.Group? in
      let bars = [
        bar(ours, row.cost.nanoseconds, ratio: nil),
        row.peer.map { bar(peer, $0.nanoseconds, ratio: row.peerRatio) },
        row.rxSwiftEstimate.map { bar(rxSwift, $0, ratio: row.rxSwiftRatio) },
      ].compactMap { $0 }
      return bars.count > 1 ? BarChart.Group(row.workload, bars) : nil
    }
    return BarChart(title: title, legend: [ours, peer, rxSwift], groups)
  }

  private func bar(_ series: BarChart.Series, _ nanoseconds: Double, ratio: Double?) -> BarChart.Bar {
    BarChart.Bar(
      series, nanoseconds, label: "\(nanoseconds.short) ns" + (ratio.map { ", \($0.times)" } ?? ""))
  }
}

import Foundation
import Measuring

/// Returns the chart of the requests per second that each client completed under load.
func chart(of results: [LoadResult]) -> BarChart {
  let clients = [
    ("rx.request.map", BarChart.Series.ours("ReactiveNetwork")),
    ("AsyncHTTPClient + JSONDecoder", BarChart.Series("AsyncHTTPClient", color: .grey)),
    ("URLSession + JSONDecoder", BarChart.Series("URLSession", color: .yellow)),
  ]
  var groups: [BarChart.Group] = []
  for version in ["HTTP/1.1", "HTTP/2"] {
    for concurrency in [16, 64, 256] {
      let row = results.filter { $0.version == version && $0.concurrency == concurrency }
      let rates = Dictionary(
        row.map { ($0.client, $0.requestsPerSecond) }, uniquingKeysWith: { first, _ in first })
      let library = rates[clients[0].0] ?? 0
      let bars = clients.compactMap { client, series in
        rates[client].map { rate in
          let note = rate == library ? "" : String(format: ", %.1fx", library / rate)
          return BarChart.Bar(series, rate, label: String(format: "%.0f/s", rate) + note)
        }
      }
      groups.append(BarChart.Group("\(version), \(concurrency) at a time", bars))
    }
  }
  return BarChart(
    title: "Requests per second, each response decoded from JSON", legend: clients.map { $0.1 }, groups)
}

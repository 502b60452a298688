import NetworkWaterfall
import ReactiveNetwork
import ReactiveNetworkExamples

/// Marks keystrokes and results in the picture of the requests.
struct TimelineMarks: View {
  let waterfall: WaterfallPlugin

  func typed(_ key: Key, _ text: String) { waterfall.mark(key.label) }
  func requested(for query: String) {}
  func cancelled(_ query: String) {}

  func show(_ outcome: SearchOutcome) {
    switch outcome {
    case .cleared: break
    case .found(let page, let query): waterfall.mark("\(page.totalCount.counted("result")) for “\(query)”")
    case .failed(let reason, let query): waterfall.mark("“\(query)”: \(reason)")
    }
  }
}

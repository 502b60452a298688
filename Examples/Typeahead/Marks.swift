import ReactiveNetwork
import ReactiveNetworkExamples

/// Marks keystrokes and results in the picture of the requests.
struct Marks: View {
  let waterfall: WaterfallPlugin

  func typed(_ key: Key, _ text: String) { waterfall.mark(key.label) }
  func asked(for query: String) {}
  func cancelled(_ query: String) {}

  func show(_ outcome: Outcome) {
    switch outcome {
    case .cleared: break
    case .found(let page, let query): waterfall.mark("\(page.totalCount.counted("result")) for “\(query)”")
    case .failed(let reason, let query): waterfall.mark("“\(query)”: \(reason)")
    }
  }
}

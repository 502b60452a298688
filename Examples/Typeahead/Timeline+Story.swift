import Foundation

extension Timeline {
  /// The contents of the picture in words, for readers who cannot see it.
  var story: String {
    let answers = renderings.map { "\($0.text) rendered at \($0.time.inSeconds)" }
    return (searches.map(\.story) + answers).joined(separator: "; ") + "."
  }
}

extension Timeline.Search {
  var story: String { "“\(query)” sent at \(sent.inSeconds), \(fate)" }

  /// How the request ended, and after what time.
  var fate: String {
    guard let end else { return "not ended" }
    return "\(end.how.name) after \(Int(((end.time - sent) * 1000).rounded())) ms"
  }
}

extension Timeline.Ending {
  var name: String {
    switch self {
    case .cancelled: "cancelled"
    case .answered: "answered"
    case .failed: "failed"
    }
  }
}

extension Double {
  fileprivate var inSeconds: String { String(format: "%.2f s", self) }
}

import Dispatch

extension DispatchQueue {
  private static let key: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Whether the main queue is the current one.
  var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) != nil }
}

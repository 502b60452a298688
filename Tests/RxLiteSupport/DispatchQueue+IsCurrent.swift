import Dispatch

extension DispatchQueue {
  private static let key: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// `true` if the current thread runs work of the main queue.
  var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) != nil }
}

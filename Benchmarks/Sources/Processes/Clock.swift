import Dispatch

/// Seconds since some time.
public func seconds() -> Double {
  Double(DispatchTime.now().uptimeNanoseconds) / 1e9
}

extension [Double] {
  /// The value that so much of the others do not exceed.
  public func percentile(_ part: Double) -> Double {
    isEmpty ? 0 : sorted()[Int(Double(count - 1) * part)]
  }
}

import Dispatch

/// Returns the seconds since an arbitrary point in time.
public func seconds() -> Double {
  Double(DispatchTime.now().uptimeNanoseconds) / 1e9
}

extension [Double] {
  /// Returns the value that the given fraction of the elements does not exceed.
  public func percentile(_ part: Double) -> Double {
    isEmpty ? 0 : sorted()[Int(Double(count - 1) * part)]
  }
}

/// A task at several sizes, done by the library and, if it can, by a peer.
public struct Workload {
  /// Does the work at a size and returns the number of operations.
  public typealias Work = (_ size: Int) -> Int

  /// The name of the task.
  public let name: String
  /// The unit that a size counts: events, operators, observers.
  public let axis: String
  /// The sizes; several, because one alone cannot show how the cost grows.
  public let sizes: [Int]
  let ours: Work
  let peer: Work?
  let rxSwift: QuotedMeasurement?

  /// Nanoseconds per operation, measured once on one machine, with RxSwift 6 and OpenCombine 0.14 in the same
  /// run.
  public struct QuotedMeasurement {
    let rxSwift: Double
    let peer: Double?

    /// Quotes a measurement.
    public init(_ rxSwift: Double, peer: Double? = nil) {
      self.rxSwift = rxSwift
      self.peer = peer
    }
  }

  /// Creates a workload.
  public init(
    _ name: String, axis: String = "events", sizes: [Int] = [1_000, 10_000, 100_000],
    rxSwift: QuotedMeasurement? = nil, ours: @escaping Work, peer: Work? = nil
  ) {
    self.name = name
    self.axis = axis
    self.sizes = sizes
    self.ours = ours
    self.peer = peer
    self.rxSwift = rxSwift
  }
}

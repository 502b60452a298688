/// A piece of work at several sizes, done by the library and, where it can, by a peer.
public struct Workload {
  /// Does the work at a size and returns how many operations that were.
  public typealias Work = (_ size: Int) -> Int

  /// What is done.
  public let name: String
  /// What a size counts: events, operators, observers.
  public let axis: String
  /// The sizes; one alone cannot show how the cost grows.
  public let sizes: [Int]
  let ours: Work
  let peer: Work?
  let rxSwift: Quotation?

  /// Nanoseconds per operation that were measured once on one machine, RxSwift 6 and OpenCombine 0.14 in the same run.
  public struct Quotation {
    let rxSwift: Double
    let peer: Double?

    /// Quotes a measurement.
    public init(_ rxSwift: Double, peer: Double? = nil) {
      self.rxSwift = rxSwift
      self.peer = peer
    }
  }

  /// Describes a workload.
  public init(
    _ name: String, axis: String = "events", sizes: [Int] = [1_000, 10_000, 100_000],
    rxSwift: Quotation? = nil, ours: @escaping Work, peer: Work? = nil
  ) {
    self.name = name
    self.axis = axis
    self.sizes = sizes
    self.ours = ours
    self.peer = peer
    self.rxSwift = rxSwift
  }
}

internal import RxLite

/// The order in which the producers that a transform returns run.
public struct FlattenStrategy: Sendable, Hashable {
  fileprivate enum Kind: Hashable {
    case concurrent(Int)
    case latest
    case throttle
  }

  fileprivate let kind: Kind

  /// All at the same time; values are forwarded as they arrive.
  public static let merge = FlattenStrategy(kind: .concurrent(.max))
  /// One after the other.
  public static let concat = FlattenStrategy(kind: .concurrent(1))
  /// Only the latest: a newer value disposes the producer of the older one, which cancels its request.
  public static let latest = FlattenStrategy(kind: .latest)
  /// Only the first: values are ignored until its producer has ended.
  public static let throttle = FlattenStrategy(kind: .throttle)

  /// A limited number at the same time; the others wait.
  ///
  /// - Parameter limit: the number, 1 or more.
  /// - Returns: the strategy.
  public static func concurrent(limit: Int) -> FlattenStrategy {
    FlattenStrategy(kind: .concurrent(max(1, limit)))
  }
}

extension SignalProducer {
  /// Transforms each value into a producer, and forwards the values of these producers.
  ///
  /// - Parameters:
  ///   - strategy: the order in which the producers run.
  ///   - transform: returns a producer for a value.
  /// - Returns: a producer of the values of these producers; the first error ends it.
  @preconcurrency public func flatMap<Result>(
    _ strategy: FlattenStrategy,
    _ transform: @escaping @Sendable (Value) -> SignalProducer<Result, Failure>
  ) -> SignalProducer<Result, Failure> {
    let inner: @Sendable (Value) -> Observable<Result> = { transform($0).source }
    let values =
      switch strategy.kind {
      case .concurrent(1): source.concatMap(inner)
      case .concurrent(.max): source.flatMap(inner)
      case .concurrent(let limit): source.map(inner).merge(maxConcurrent: limit)
      case .latest: source.flatMapLatest(inner)
      case .throttle: source.flatMapFirst(inner)
      }
    return SignalProducer<Result, Failure>(source: values)
  }

  /// Continues with another producer after an error.
  ///
  /// - Parameter transform: returns the producer that replaces the error.
  /// - Returns: a producer of the values of both producers.
  @preconcurrency public func flatMapError<Other: Error>(
    _ transform: @escaping @Sendable (Failure) -> SignalProducer<Value, Other>
  ) -> SignalProducer<Value, Other> {
    let values = source.catch { error in (error as? Failure).map { transform($0).source } ?? .error(error) }
    return SignalProducer<Value, Other>(source: values)
  }

  /// Starts another producer after this one has completed, and ignores the values of this one.
  ///
  /// - Parameter replacement: the producer that follows.
  /// - Returns: a producer of the values of `replacement`.
  public func then<Result>(
    _ replacement: SignalProducer<Result, Failure>
  ) -> SignalProducer<Result, Failure> {
    SignalProducer<Result, Failure>(
      source: source.compactMap { _ -> Result? in nil }.concat(replacement.source))
  }
}

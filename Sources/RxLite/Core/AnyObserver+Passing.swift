extension AnyObserver {
  /// An observer that hands on what a closure makes of each element, up to the first stop event.
  ///
  /// An operator that ends a sequence by itself has to drop what its source sends after that: a source that sends while
  /// it is being subscribed cannot be disposed yet, and goes on.
  ///
  /// - Parameters:
  ///   - observer: receives the results.
  ///   - transform: makes the result, `nil` for none; what it throws ends the sequence with that error.
  /// - Returns: the observer.
  @inlinable static func passing<Result>(
    to observer: AnyObserver<Result>, _ transform: @escaping (Element) throws -> Result?
  ) -> AnyObserver<Element> {
    let end = EndMark()
    return AnyObserver { event in
      if end.isReached { return }
      switch event {
      case .next(let element):
        do {
          guard let result = try transform(element) else { return }
          observer.on(.next(result))
        } catch {
          end.isReached = true
          observer.on(.error(error))
        }
      case .error(let error):
        end.isReached = true
        observer.on(.error(error))
      case .completed:
        end.isReached = true
        observer.on(.completed)
      }
    }
  }
}

/// Whether a sequence has ended: a captured `var` would be checked for exclusive access at each event.
@usableFromInline final class EndMark {
  @exclusivity(unchecked) @usableFromInline var isReached = false

  @inlinable init() {}
}

extension InfallibleType {
  /// Shares one subscription to the source among all subscribers.
  ///
  /// - Parameters:
  ///   - replay: the number of last elements that a new subscriber receives at once.
  ///   - scope: whether the replayed elements outlive the subscription to the source.
  /// - Returns: the shared sequence.
  @inlinable public func share(
    replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
  ) -> Infallible<Element> {
    Infallible(asObservable().share(replay: replay, scope: scope))
  }
}

extension ObservableType {
  /// Makes a sequence anew for each subscription.
  ///
  /// - Parameter observableFactory: makes it; what it throws ends the sequence with that error.
  /// - Returns: the sequence.
  @inlinable public static func deferred(
    _ observableFactory: @escaping () throws -> Observable<Element>
  ) -> Observable<Element> {
    Observable { observer in
      do {
        return try observableFactory().source(observer)
      } catch {
        observer.on(.error(error))
        return Disposables.create()
      }
    }
  }
}

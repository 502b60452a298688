extension ObservableType {
  /// Creates a resource for each subscription, and a sequence that uses it; the resource is disposed with the
  /// subscription.
  ///
  /// - Parameters:
  ///   - resourceFactory: returns the resource, which is disposed after the sequence.
  ///   - observableFactory: returns the sequence. An error that one of the two closures throws ends the
  ///     sequence.
  /// - Returns: the sequence.
  @preconcurrency @inlinable public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping @Sendable () throws -> Resource,
    observableFactory: @escaping @Sendable (Resource) throws -> Observable<Element>
  ) -> Observable<Element> {
    Observable { observer in
      var resource: (any Disposable)?
      do {
        let made = try resourceFactory()
        resource = made
        let subscription = try observableFactory(made).source(observer)
        return Disposables.create(subscription, made)
      } catch {
        observer.on(.error(error))
        return resource ?? Disposables.create()
      }
    }
  }
}

extension ObservableType {
  /// Makes a resource and a sequence of it for each subscription, and disposes the resource with the subscription.
  ///
  /// - Parameters:
  ///   - resourceFactory: makes the resource; disposed after the sequence.
  ///   - observableFactory: makes the sequence. What it or `resourceFactory` throws ends the sequence with that error.
  /// - Returns: the sequence.
  @inlinable public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping () throws -> Resource,
    observableFactory: @escaping (Resource) throws -> Observable<Element>
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

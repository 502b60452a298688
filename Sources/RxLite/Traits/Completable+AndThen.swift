extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Continues with a single after this completable has completed.
  ///
  /// - Parameter second: subscribed to when this one completes, before this one is disposed. If this one
  ///   fails, it is not subscribed to.
  /// - Returns: a single that ends as the second does.
  public func andThen<Element>(_ second: Single<Element>) -> Single<Element> {
    Single(raw: primitiveSequence.source.followed(by: second.source))
  }

  /// Continues with a maybe after this completable has completed.
  ///
  /// - Parameter second: subscribed to when this one completes, before this one is disposed. If this one
  ///   fails, it is not subscribed to.
  /// - Returns: a maybe that ends as the second does.
  public func andThen<Element>(_ second: Maybe<Element>) -> Maybe<Element> {
    Maybe(raw: primitiveSequence.source.followed(by: second.source))
  }

  /// Continues with a completable after this one has completed.
  ///
  /// - Parameter second: subscribed to when this one completes, before this one is disposed. If this one
  ///   fails, it is not subscribed to.
  /// - Returns: a completable that ends as the second does.
  public func andThen(_ second: Completable) -> Completable {
    Completable(raw: primitiveSequence.source.followed(by: second.source))
  }

  /// Continues with a sequence after this completable has completed.
  ///
  /// - Parameter second: subscribed to when this one completes, before this one is disposed. If this one
  ///   fails, it is not subscribed to.
  /// - Returns: the events of the second sequence.
  public func andThen<Element>(_ second: Observable<Element>) -> Observable<Element> {
    primitiveSequence.source.followed(by: second)
  }
}

extension Observable<Never> {
  fileprivate func followed<Result>(by second: Observable<Result>) -> Observable<Result> {
    withoutElements().followed { $0.isCompleted ? second : nil }
  }
}

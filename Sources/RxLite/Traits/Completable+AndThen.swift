extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Continues with a single after this has ended well.
  ///
  /// - Parameter second: subscribed when this ends, before this is disposed; not at all where it fails.
  /// - Returns: the single that ends as the second does.
  public func andThen<Element>(_ second: Single<Element>) -> Single<Element> {
    Single(raw: primitiveSequence.source.followed(by: second.source))
  }

  /// Continues with a maybe after this has ended well.
  ///
  /// - Parameter second: subscribed when this ends, before this is disposed; not at all where it fails.
  /// - Returns: the maybe that ends as the second does.
  public func andThen<Element>(_ second: Maybe<Element>) -> Maybe<Element> {
    Maybe(raw: primitiveSequence.source.followed(by: second.source))
  }

  /// Continues with a completable after this has ended well.
  ///
  /// - Parameter second: subscribed when this ends, before this is disposed; not at all where it fails.
  /// - Returns: the completable that ends as the second does.
  public func andThen(_ second: Completable) -> Completable {
    Completable(raw: primitiveSequence.source.followed(by: second.source))
  }

  /// Continues with a sequence after this has ended well.
  ///
  /// - Parameter second: subscribed when this ends, before this is disposed; not at all where it fails.
  /// - Returns: the second sequence's events.
  public func andThen<Element>(_ second: Observable<Element>) -> Observable<Element> {
    primitiveSequence.source.followed(by: second)
  }
}

extension Observable<Never> {
  fileprivate func followed<Result>(by second: Observable<Result>) -> Observable<Result> {
    withoutElements().continued { $0.isCompleted ? second : nil }
  }
}

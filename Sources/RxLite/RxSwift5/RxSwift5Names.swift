public import Dispatch

// Names from before RxSwift 6, which much code and many articles still use. They are not deprecated.

/// The name to use if another module also has an `Observable`.
public typealias RxObservable<Element> = Observable<Element>

extension ObservableType {
  /// The older spelling of `observe(on:)`.
  @inlinable public func observeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    observe(on: scheduler)
  }

  /// The older spelling of `subscribe(on:)`.
  @inlinable public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    subscribe(on: scheduler)
  }

  /// The older spelling of `take(for:scheduler:)`.
  @inlinable public func take(
    _ duration: RxTimeInterval, scheduler: any SchedulerType
  ) -> Observable<Element> {
    take(for: duration, scheduler: scheduler)
  }

  /// The older spelling of `element(at:)`.
  @inlinable public func elementAt(_ index: Int) -> Observable<Element> {
    element(at: index)
  }

  /// The older spelling of `take(until:)`.
  @inlinable public func takeUntil<Source: ObservableType>(_ other: Source) -> Observable<Element> {
    take(until: other)
  }

  /// The older spelling of `take(until:behavior:)`.
  @preconcurrency @inlinable public func takeUntil(
    _ behavior: TakeBehavior, predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    take(until: predicate, behavior: behavior)
  }

  /// The older spelling of `take(while:)`.
  @preconcurrency @inlinable public func takeWhile(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    take(while: predicate)
  }

  /// The older spelling of `skip(until:)`.
  @inlinable public func skipUntil<Source: ObservableType>(_ other: Source) -> Observable<Element> {
    skip(until: other)
  }

  /// The older spelling of `skip(while:)`.
  @preconcurrency @inlinable public func skipWhile(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    skip(while: predicate)
  }

  /// The older spelling of `catch(_:)`.
  @preconcurrency @inlinable public func catchError(
    _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
  ) -> Observable<Element> {
    self.catch(handler)
  }

  /// The older spelling of `catchAndReturn(_:)`.
  @inlinable public func catchErrorJustReturn(_ element: Element) -> Observable<Element> {
    catchAndReturn(element)
  }

  /// The older spelling of `catch(sequence:)`.
  @inlinable public static func catchError<Sequences: Sequence>(
    _ sequence: Sequences
  ) -> Observable<Element> where Sequences.Element == Observable<Element> {
    Self.catch(sequence: sequence)
  }

  /// The older spelling of `retry(when:)`.
  @preconcurrency @inlinable public func retryWhen<TriggerObservable: ObservableType>(
    _ notificationHandler: @escaping @Sendable (Observable<any Error>) -> TriggerObservable
  ) -> Observable<Element> {
    retry(when: notificationHandler)
  }

  /// The older spelling of `retry(when:)`.
  @preconcurrency @inlinable public func retryWhen<TriggerObservable: ObservableType, Failure: Error>(
    _ notificationHandler: @escaping @Sendable (Observable<Failure>) -> TriggerObservable
  ) -> Observable<Element> {
    retry(when: notificationHandler)
  }
}

extension PrimitiveSequence {
  /// The older spelling of `observe(on:)`.
  @inlinable public func observeOn(
    _ scheduler: any ImmediateSchedulerType
  ) -> PrimitiveSequence<Trait, Element> {
    observe(on: scheduler)
  }

  /// The older spelling of `subscribe(on:)`.
  @inlinable public func subscribeOn(
    _ scheduler: any ImmediateSchedulerType
  ) -> PrimitiveSequence<Trait, Element> {
    subscribe(on: scheduler)
  }

  /// The older spelling of `catch(_:)`.
  @preconcurrency @inlinable public func catchError(
    _ handler: @escaping @Sendable (any Error) throws -> PrimitiveSequence<Trait, Element>
  ) -> PrimitiveSequence<Trait, Element> {
    self.catch(handler)
  }

  /// The older spelling of `retry(when:)`.
  @preconcurrency @inlinable public func retryWhen<TriggerObservable: ObservableType, Failure: Error>(
    _ notificationHandler: @escaping @Sendable (Observable<Failure>) -> TriggerObservable
  ) -> PrimitiveSequence<Trait, Element> {
    retry(when: notificationHandler)
  }
}

extension PrimitiveSequence {
  /// The older spelling of `Trait`.
  public typealias TraitType = Trait
  /// The older spelling of `Element`.
  public typealias ElementType = Element
}

extension Result where Failure == any Error {
  /// The older spelling of `failure(_:)`, used in the closure of a single.
  @inlinable public static func error(_ error: any Error) -> Result { .failure(error) }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// The older spelling of `catchAndReturn(_:)`.
  public func catchErrorJustReturn(_ element: Element) -> Single<Element> {
    catchAndReturn(element)
  }

  /// The older spelling of `subscribe(onSuccess:onFailure:onDisposed:)`.
  ///
  /// - Parameters:
  ///   - onSuccess: receives the element.
  ///   - onError: receives the error.
  ///   - onDisposed: called once when the subscription ends, for any reason.
  /// - Returns: the subscription.
  @preconcurrency @inlinable public func subscribe(
    onSuccess: (@Sendable (Element) -> Void)? = nil, onError: @escaping @Sendable (any Error) -> Void,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    subscribe(onSuccess: onSuccess, onFailure: onError, onDisposed: onDisposed)
  }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// The older spelling of `catchAndReturn(_:)`.
  public func catchErrorJustReturn(_ element: Element) -> Maybe<Element> {
    catchAndReturn(element)
  }
}

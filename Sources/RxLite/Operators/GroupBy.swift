extension ObservableType {
  /// Groups the elements by a key, in one sequence for each key.
  ///
  /// A group is sent just before its first element. A subscriber of a group receives the elements after its
  /// subscription, and the group ends as the source does. The source stays subscribed to while the sequence
  /// or a group has a subscription.
  ///
  /// - Parameter keySelector: returns the key. An error that it throws ends the sequence and all groups.
  /// - Returns: the sequence of groups.
  @preconcurrency public func groupBy<Key: Hashable>(
    keySelector: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<GroupedObservable<Key, Element>> {
    let source = asObservable().source
    return Observable { observer in
      let upstream = SingleAssignmentDisposable()
      let users = RefCountDisposable(disposable: upstream)
      // In the order of their creation, in which they receive the stop event.
      var groups: [PublishSubject<Element>] = []
      var indices: [Key: Int] = [:]
      // A source that sends during its subscription continues after an error of this operator.
      var hasFailed = false

      /// Notifies the observer, unless its subscription was disposed and only groups are still observed.
      func emit(_ event: Event<GroupedObservable<Key, Element>>) {
        if !users.isReleased { observer.on(event) }
      }
      func group(for key: Key) -> PublishSubject<Element> {
        if let index = indices[key] { return groups[index] }
        let group = PublishSubject<Element>()
        indices[key] = groups.count
        groups.append(group)
        emit(.next(GroupedObservable(key: key, source: group.retaining(users))))
        return group
      }
      func fail(_ error: any Error) {
        hasFailed = true
        for group in groups { group.onError(error) }
        emit(.error(error))
        upstream.dispose()
      }

      upstream.setDisposable(
        source(
          observer.calling { event in
            if hasFailed { return }
            switch event {
            case .next(let element):
              do {
                group(for: try keySelector(element)).onNext(element)
              } catch {
                fail(error)
              }
            case .error(let error): fail(error)
            case .completed:
              for group in groups { group.onCompleted() }
              emit(.completed)
              upstream.dispose()
            }
          }))
      return users
    }
  }
}

/// The elements with one key.
public struct GroupedObservable<Key, Element>: ObservableType {
  /// The key.
  public let key: Key

  private let source: Observable<Element>

  /// Creates a group.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - source: the elements.
  public init(key: Key, source: Observable<Element>) {
    self.key = key
    self.source = source
  }

  /// Subscribes an observer.
  ///
  /// - Parameter observer: receives the elements.
  /// - Returns: the subscription.
  public func subscribe<Observer: ObserverType>(
    _ observer: Observer
  ) -> any Disposable where Observer.Element == Element {
    source.subscribe(observer)
  }

  /// Returns the group's elements as an `Observable`.
  public func asObservable() -> Observable<Element> {
    source
  }
}

extension GroupedObservable: Sendable where Key: Sendable {}

extension ObservableType {
  /// Sorts the elements into groups by a key; each key has a sequence of its own.
  ///
  /// A group is sent with its first element. It shows what comes after it is subscribed, and ends as the source does. The
  /// source stays subscribed as long as the sequence or a group is.
  ///
  /// - Parameter keySelector: makes the key; what it throws ends the sequence and all groups with that error.
  /// - Returns: the sequence of groups.
  public func groupBy<Key: Hashable>(
    keySelector: @escaping (Element) throws -> Key
  ) -> Observable<GroupedObservable<Key, Element>> {
    let source = asObservable().source
    return Observable { observer in
      let upstream = SingleAssignmentDisposable()
      let users = RefCountDisposable(disposable: upstream)
      // In the order in which the groups were made, for the stop event.
      var groups: [PublishSubject<Element>] = []
      var indices: [Key: Int] = [:]
      // A source that sends while it is being subscribed goes on after an error of ours.
      let end = EndMark()

      /// Tells the observer, unless it has gone and only groups are still observed.
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
        end.isReached = true
        for group in groups { group.onError(error) }
        emit(.error(error))
        upstream.dispose()
      }

      upstream.setDisposable(
        source(
          AnyObserver { event in
            if end.isReached { return }
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

/// The elements of one key.
public struct GroupedObservable<Key, Element>: ObservableType {
  /// The key.
  public let key: Key

  private let source: Observable<Element>

  /// Makes a group.
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

  /// The group without its key.
  public func asObservable() -> Observable<Element> {
    source
  }
}

extension GroupedObservable: Sendable where Key: Sendable {}

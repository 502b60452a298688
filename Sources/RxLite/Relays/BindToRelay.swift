// A relay cannot end: completion is not forwarded, and an error goes to `Hooks.defaultErrorHandler`.

extension ObservableType {
  /// Sends each element to relays.
  @inlinable public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element {
    subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
  }

  /// Sends each element to relays of the optional type.
  @inlinable public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element? {
    subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
  }
}

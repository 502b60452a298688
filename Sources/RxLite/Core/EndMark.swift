/// Whether an operator's sequence has ended.
///
/// An operator that ends a sequence by itself has to drop what its source sends after that: a source that sends while
/// it is being subscribed cannot be disposed yet, and goes on. One that makes a result of each element has a `Sink` instead.
@usableFromInline final class EndMark {
  // A captured `var` would be checked for exclusive access at each event.
  @exclusivity(unchecked) @usableFromInline var isReached = false

  @inlinable init() {}
}

/// What an operator remembers between events: a captured `var` would be checked for exclusive access at each.
@usableFromInline final class Box<Value> {
  @exclusivity(unchecked) @usableFromInline var value: Value

  @inlinable init(_ value: Value) {
    self.value = value
  }
}

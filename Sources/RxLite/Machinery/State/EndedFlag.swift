/// A flag that says whether an operator's sequence has ended.
///
/// An operator that ends a sequence by itself has to drop the later events of its source: a source that sends
/// events within its subscription cannot be disposed yet. An operator that maps each element to a
/// result uses a `Sink` instead.
@usableFromInline final class EndedFlag {
  // A captured `var` would be checked for exclusive access at each event.
  @exclusivity(unchecked) @usableFromInline var hasEnded = false

  @inlinable init() {}
}

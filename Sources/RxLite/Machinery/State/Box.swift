/// The state of an operator between events.
///
/// A captured `var` would be checked for exclusive access at each event.
@usableFromInline final class Box<Value> {
  @exclusivity(unchecked) @usableFromInline var value: Value

  @inlinable init(_ value: Value) {
    self.value = value
  }
}

// Closures for a subscription that passes an object and does not retain it. Once the object is released, they do
// nothing.

/// Returns a closure that passes an object and a value to another closure.
func weakly<Object: AnyObject & Sendable, Value>(
  _ object: Object, _ action: @escaping @Sendable (Object, Value) -> Void
) -> @Sendable (Value) -> Void {
  { [weak object] in if let object { action(object, $0) } }
}

/// Returns a closure that passes an object to another closure.
func weakly<Object: AnyObject & Sendable>(
  _ object: Object, _ action: @escaping @Sendable (Object) -> Void
) -> @Sendable () -> Void {
  { [weak object] in if let object { action(object) } }
}

/// Returns a closure of the main actor that passes an object and a value to another one.
@inlinable func weaklyOnMain<Object: AnyObject & Sendable, Value>(
  _ object: Object, _ action: @escaping @MainActor @Sendable (Object, Value) -> Void
) -> @MainActor @Sendable (Value) -> Void {
  { [weak object] in if let object { action(object, $0) } }
}

/// Returns a closure of the main actor that passes an object to another one.
@inlinable func weaklyOnMain<Object: AnyObject & Sendable>(
  _ object: Object, _ action: @escaping @MainActor @Sendable (Object) -> Void
) -> @MainActor @Sendable () -> Void {
  { [weak object] in if let object { action(object) } }
}

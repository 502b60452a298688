import CGTK

/// Connects a closure to a signal without arguments of its own; it is released with the object.
@MainActor func connect(
  _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void
) {
  final class Box: Sendable {
    let body: @MainActor () -> Void
    init(_ body: @escaping @MainActor () -> Void) { self.body = body }
  }
  let call: @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void = { _, box in
    let box = Unmanaged<Box>.fromOpaque(box).takeUnretainedValue()
    MainActor.assumeIsolated { box.body() }
  }
  g_signal_connect_data(
    object, signal, unsafeBitCast(call, to: GCallback.self), Unmanaged.passRetained(Box(body)).toOpaque(),
    { box, _ in if let box { Unmanaged<Box>.fromOpaque(box).release() } }, GConnectFlags(rawValue: 0))
}

/// A widget; GTK's functions take pointers to its classes, which are the same pointer.
typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer<GtkWidget> {
  /// The widget as an object of a class whose structure is public.
  func cast<Class>() -> UnsafeMutablePointer<Class> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: Class.self)
  }

  /// The widget as an object of a class whose structure is not public.
  var opaque: OpaquePointer { OpaquePointer(self) }
}

import ReactiveNetworkLock

/// A disposable whose content can be replaced; replacing it disposes the old content.
public final class SerialDisposable: Cancelable {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  private struct State {
    var content: (any Disposable)?
    var isDisposed = false
  }

  private let state = Lock(State())

  /// Creates an empty disposable.
  public init() {}

  /// Whether it was disposed.
  public var isDisposed: Bool { state.withLock { $0.isDisposed } }

  /// The content.
  ///
  /// Setting it disposes the old content, or the new one if `dispose()` was called before.
  public var disposable: any Disposable {
    get { state.withLock { $0.content } ?? Disposables.create() }
    set {
      let outdated: (any Disposable)? = state.withLock { state in
        guard !state.isDisposed else { return newValue }
        return exchange(&state.content, with: newValue)
      }
      outdated?.dispose()
    }
  }

  /// Disposes the content and everything that is set later.
  public func dispose() {
    let content = state.withLock { state in
      state.isDisposed = true
      return state.content.take()
    }
    content?.dispose()
  }
}

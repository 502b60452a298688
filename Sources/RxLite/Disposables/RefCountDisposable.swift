import ReactiveNetworkLock

/// A disposable that counts the users of its content.
///
/// The content is disposed after `dispose()` was called and all disposables from `retain()` were disposed.
public final class RefCountDisposable: Cancelable {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  private struct State {
    // `nil` after disposal.
    var content: (any Disposable)?
    var retainers = 0
    var isReleased = false

    mutating func takeIfUnused() -> (any Disposable)? {
      isReleased && retainers == 0 ? content.take() : nil
    }
  }

  private let state: Lock<State>

  /// Creates a disposable that counts the users of another disposable.
  public init(disposable: any Disposable) {
    state = Lock(State(content: disposable))
  }

  /// Whether the content was disposed.
  public var isDisposed: Bool { state.withLock { $0.content == nil } }

  /// Whether `dispose()` was called.
  ///
  /// The content may still be retained.
  var isReleased: Bool { state.withLock { $0.isReleased } }

  /// Keeps the content from being disposed.
  ///
  /// - Returns: a disposable that releases the content. It does nothing if the content is already disposed.
  public func retain() -> any Disposable {
    let isAlive = state.withLock { state in
      guard state.content != nil else { return false }
      state.retainers += 1
      return true
    }
    guard isAlive else { return Disposables.create() }
    return Disposables.create {
      self.release { $0.retainers -= 1 }
    }
  }

  /// Disposes the content, now or when the last user releases it.
  public func dispose() {
    release { $0.isReleased = true }
  }

  private func release(_ change: (inout State) -> Void) {
    let content = state.withLock { state in
      change(&state)
      return state.takeIfUnused()
    }
    content?.dispose()
  }
}

extension Observable {
  /// Returns the same sequence, each subscription of which retains `resource`.
  func retaining(_ resource: RefCountDisposable) -> Observable<Element> {
    Observable { observer in
      // Retained before the subscription, because a stop event during it could dispose the resource.
      let retained = resource.retain()
      return Disposables.create(retained, self.source(observer))
    }
  }
}

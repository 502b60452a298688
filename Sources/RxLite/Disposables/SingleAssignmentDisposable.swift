/// A disposable whose content is set once, possibly after it was disposed.
public final class SingleAssignmentDisposable: Cancelable {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  private let content = Assignment()

  /// Makes an empty disposable.
  public init() {}

  /// Whether it was disposed.
  public var isDisposed: Bool { content.isDisposed }

  /// Sets what to dispose; disposes it at once where `dispose()` came before.
  ///
  /// - Precondition: called at most once.
  public func setDisposable(_ disposable: any Disposable) {
    content.set(disposable)
  }

  /// Disposes the content, now or when it is set.
  public func dispose() {
    content.dispose()
  }
}

import ReactiveNetworkLock

/// A group of disposables that are disposed together; disposables added later are disposed at once.
public final class CompositeDisposable: Cancelable {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  /// Identifies a disposable in the group.
  public struct DisposeKey: Sendable {
    fileprivate let key: Int
  }

  private struct State {
    // `nil` after disposal. A dictionary, because the members may be many and are removed in any order.
    var members: [Int: any Disposable]? = [:]
    var nextKey = 0
  }

  private let state = Lock(State())

  /// Creates an empty group.
  public init() {}

  /// Creates a group.
  public init(disposables: [any Disposable]) {
    for disposable in disposables { insert(disposable) }
  }

  /// Creates a group.
  public convenience init(_ first: any Disposable, _ second: any Disposable, _ others: any Disposable...) {
    self.init(disposables: [first, second] + others)
  }

  /// Whether the group was disposed.
  public var isDisposed: Bool { state.withLock { $0.members == nil } }

  /// The number of disposables in the group.
  public var count: Int { state.withLock { $0.members?.count ?? 0 } }

  /// Adds a disposable to the group.
  ///
  /// - Parameter disposable: the new member. It is disposed at once if the group was disposed.
  /// - Returns: the key for `remove(for:)`, or `nil` if the group was disposed.
  @discardableResult public func insert(_ disposable: any Disposable) -> DisposeKey? {
    let key: DisposeKey? = state.withLock { state in
      guard state.members != nil else { return nil }
      defer { state.nextKey += 1 }
      state.members?[state.nextKey] = disposable
      return DisposeKey(key: state.nextKey)
    }
    if key == nil { disposable.dispose() }
    return key
  }

  /// Removes a disposable from the group and disposes it.
  public func remove(for disposeKey: DisposeKey) {
    let removed = state.withLock { $0.members?.removeValue(forKey: disposeKey.key) }
    removed?.dispose()
  }

  /// Removes a disposable from the group without disposing it.
  func removeWithoutDisposing(for disposeKey: DisposeKey) {
    let removed = state.withLock { $0.members?.removeValue(forKey: disposeKey.key) }
    _ = removed
  }

  /// Disposes the members in the order in which they were added.
  public func dispose() {
    let members = state.withLock { $0.members.take() }
    for (_, member) in members?.sorted(by: { $0.key < $1.key }) ?? [] { member.dispose() }
  }
}
